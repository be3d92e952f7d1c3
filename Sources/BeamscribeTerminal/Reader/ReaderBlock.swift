/// One caption or notice of a ``ReaderDocument``, with its text and without its rows.
struct ReaderBlock: Equatable, Sendable {
    /// What is to be known of a block beside its words.
    struct Marks: OptionSet, Sendable {
        let rawValue: UInt8
        /// The program says it, and nobody at the host.
        static let isNotice = Marks(rawValue: 1)
        /// It can still change.
        static let isOpen = Marks(rawValue: 2)
        /// There is nothing to be shown: it was withdrawn while it was open.
        static let isGone = Marks(rawValue: 4)
        /// The words are those of a correction.
        static let isCorrected = Marks(rawValue: 8)
        /// The host has lost the line since.
        static let isWithdrawn = Marks(rawValue: 16)
        /// The host has taken the line back: a correction without a word.
        static let isUnsaid = Marks(rawValue: 64)
        /// The speaker became known when the words stood there already, and is named behind them:
        /// before them the name would move them.
        static let namesSpeakerLast = Marks(rawValue: 32)
        /// It stands under the line that it translates.
        static let isTranslation = Marks(rawValue: 128)
    }

    /// Where a block stands among the others: by the order of the event's lines, and of two logs that had
    /// the same by these.
    struct Place: Equatable, Sendable {
        var order: Int
        /// The log's number in the document; 0 is the main one.
        var log: Int
    }

    /// What a block is known by for as long as it is there, wherever others come.
    struct Name: Equatable, Sendable {
        let id: Int
        let place: Place
    }

    var text: String
    /// The speaker's number in the document; nil for none.
    var speaker: Int?
    /// When the line began, or was sent where nobody saw it begin: seconds since 1970.
    var time: Double
    var marks: Marks
    /// The block's number, in the order in which they came.
    var id = 0
    var place = Place(order: 0, log: 0)

    var name: Name { Name(id: id, place: place) }
    var isNotice: Bool { marks.contains(.isNotice) }
    var isOpen: Bool { marks.contains(.isOpen) }
    var isGone: Bool { marks.contains(.isGone) }
}
