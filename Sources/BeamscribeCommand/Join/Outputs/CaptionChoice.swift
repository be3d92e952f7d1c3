import BeamscribeCore
import Synchronization

/// What a reader wants to see of a guest's events: some of its logs, lines in some languages, some words
/// masked.
final class CaptionChoice: Sendable {
    private let filter: Mutex<CaptionFilter>
    private let logs: Mutex<LogChoice>
    private let mask: WordMask?

    /// - Parameters:
    ///   - logs: which of the event's logs.
    ///   - languages: BCP 47 tags; empty for all.
    ///   - mask: nil to mask nothing.
    init(logs: LogChoice = LogChoice(), languages: [String] = [], mask: WordMask? = nil) {
        self.logs = Mutex(logs)
        filter = Mutex(CaptionFilter(languages: languages))
        self.mask = mask
    }

    /// What is in the logs and the languages that the reader wants, in the words that were said.
    func wanted(_ events: [GuestEvent]) -> [GuestEvent] {
        let chosen = logs.withLock { $0.wanted(events) }
        return filter.withLock { $0.pass(chosen) }
    }

    /// What of it is for those who show one log alone.
    func leading(_ events: [GuestEvent]) -> [GuestEvent] { logs.withLock { $0.leading(events) } }

    /// The same as it is shown.
    func shown(_ events: [GuestEvent]) -> [GuestEvent] {
        mask.map { mask in events.map { mask.masked($0) } } ?? events
    }
}
