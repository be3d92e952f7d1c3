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
        /// All logs, for a screen on which others can be chosen.
        var everything = LogChoice(["all"])
    }

    /// The logs that are wanted, as they are before anything comes.
    let logs: LogChoice
    private let state: Mutex<State>
    private let mask: WordMask?

    /// - Parameters:
    ///   - names: those of the event's logs that are wanted; empty for all captions.
    ///   - languages: BCP 47 tags; empty for all.
    ///   - mask: nil to mask nothing.
    init(logs names: [String] = [], languages: [String] = [], mask: WordMask? = nil) {
        let logs = LogChoice(names, languages: languages)
        self.logs = logs
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
        /// What a screen needs, on which other logs can be chosen: what is said in any log and language.
        let screen: [GuestEvent]
    }

    func wanted(_ events: [GuestEvent]) -> Wanted {
        state.withLock { state in
            let chosen = state.logs.wanted(events)
            let all = state.filter.pass(chosen)
            let lines = state.logs.replacing(all)
            return Wanted(
                all: all, lines: lines, leading: state.logs.leading(lines),
                screen: state.everything.wanted(events))
        }
    }

    /// Whether a file has anything to do with it: a log that is not wanted, or whose lines come as those of
    /// another, is none that it gets lines of.
    func isForFile(_ event: GuestEvent) -> Bool {
        guard case .log(let log, _) = event else { return true }
        return includes(log) && !(logs.replacesByTranslations && log.translates != nil)
    }

    /// Whether a caption is in none of the languages that the reader wants. Each event is asked for once,
    /// in their order.
    func isForeign(_ event: GuestEvent) -> Bool {
        state.withLock { state in
            !state.screenFilter.passesAll && state.screenFilter.pass([event]) != [event]
        }
    }

    /// The same with the names of other logs before those of the speakers; one that is wanted alone needs
    /// none.
    func named(_ events: [GuestEvent]) -> [GuestEvent] {
        guard !logs.isOne else { return events }
        return events.map { event in
            guard case .inLog(let log, .line(let line)) = event else { return event }
            return .inLog(log, .line(line.named(after: log)))
        }
    }

    /// The same as it is shown.
    func shown(_ events: [GuestEvent]) -> [GuestEvent] {
        mask.map { mask in events.map { mask.masked($0) } } ?? events
    }
}
