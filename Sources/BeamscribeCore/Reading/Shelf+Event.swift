public import FoundationEssentials

extension Shelf {
    /// The event, and who has founded it.
    public struct Event {
        let id: UUID
        let founder: any LogVerifier
        /// Whether everybody may write in it, each in a log whose id is bound to his key.
        let isOpen: Bool
        /// The language of the log that founded it, a BCP 47 tag; nil where that is not told.
        let lang: String?

        /// An event by the id of the log that founded it.
        public init(
            _ id: UUID, foundedBy founder: any LogVerifier, isOpen: Bool = false,
            lang: String? = nil
        ) {
            (self.id, self.founder, self.isOpen, self.lang) = (id, founder, isOpen, lang)
        }

        /// The event that a log has founded by its record.
        ///
        /// - Returns: nil for one that is of another's event.
        init?(_ record: LogRecord, _ log: UUID, foundedBy founder: any LogVerifier) {
            guard record.event == record.session else { return nil }
            self.init(log, foundedBy: founder, isOpen: record.open == true, lang: record.lang)
        }

        func isSame(as other: Event?) -> Bool {
            id == other?.id && founder.writer == other?.founder.writer
        }
    }
}
