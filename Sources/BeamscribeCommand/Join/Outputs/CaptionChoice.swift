import BeamscribeCore
import Synchronization

/// What a reader wants to see of a guest's events: lines in some languages, some words masked.
final class CaptionChoice: Sendable {
    private let filter: Mutex<CaptionFilter>
    private let mask: WordMask?

    /// - Parameters:
    ///   - languages: BCP 47 tags; empty for all.
    ///   - mask: nil to mask nothing.
    init(languages: [String] = [], mask: WordMask? = nil) {
        filter = Mutex(CaptionFilter(languages: languages))
        self.mask = mask
    }

    /// What is in the languages that the reader wants, in the words that were said.
    func wanted(_ events: [GuestEvent]) -> [GuestEvent] {
        filter.withLock { $0.pass(events) }
    }

    /// The same as it is shown.
    func shown(_ events: [GuestEvent]) -> [GuestEvent] {
        mask.map { mask in events.map { mask.masked($0) } } ?? events
    }
}
