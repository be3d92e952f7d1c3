import BeamscribeCore
import Synchronization

/// What a reader wants to see of a guest's events: some of its logs, lines in some languages, some words
/// masked.
final class CaptionChoice: Sendable {
    private struct State {
        var filter: CaptionFilter
        /// For a screen, on which a translation comes into the place of its line.
        var screenFilter: CaptionFilter
        var logs: LogChoice
    }

    /// Whether translations stand for what they translate, rather than beside it.
    let replacesByTranslations: Bool
    private let state: Mutex<State>
    private let mask: WordMask?

    /// - Parameters:
    ///   - names: those of the event's logs that are wanted; empty for all captions.
    ///   - languages: BCP 47 tags; empty for all.
    ///   - mask: nil to mask nothing.
    init(logs names: [String] = [], languages: [String] = [], mask: WordMask? = nil) {
        let logs = LogChoice(names, languages: languages)
        replacesByTranslations = logs.replacesByTranslations
        state = Mutex(
            State(
                filter: CaptionFilter(languages: languages),
                screenFilter: CaptionFilter(
                    languages: languages, keepsOriginals: logs.replacesByTranslations),
                logs: logs))
        self.mask = mask
    }

    /// Whether a log is one of those that the reader wants.
    func includes(_ log: LogTitle) -> Bool { state.withLock { $0.logs.includes(log) } }

    /// Events as they are wanted in one form and another.
    struct Wanted {
        /// In the logs and the languages that the reader wants, in the words that were said.
        let all: [GuestEvent]
        /// With the lines of a translation in the place of those that they translate.
        let lines: [GuestEvent]
        /// Of these what is for those who show one log alone.
        let leading: [GuestEvent]
        /// What a screen needs, which shows a line until its translation comes.
        let screen: [GuestEvent]
    }

    func wanted(_ events: [GuestEvent]) -> Wanted {
        state.withLock { state in
            let chosen = state.logs.wanted(events)
            let all = state.filter.pass(chosen)
            let lines = state.logs.replacing(all)
            return Wanted(
                all: all, lines: lines, leading: state.logs.leading(lines),
                screen: state.screenFilter.pass(chosen))
        }
    }

    /// The same as it is shown.
    func shown(_ events: [GuestEvent]) -> [GuestEvent] {
        mask.map { mask in events.map { mask.masked($0) } } ?? events
    }
}
