import Beamscribe
import BeamscribeCore
import HummingbirdCore

/// What a page asks of the history: `before=SEQ&count=N`, in the `session` and `run` that it knows,
/// in which numbers mean what it takes them for.
struct HistoryQuestion {
    /// Of which log.
    let session: String
    private let run: Int
    private let before: Int
    private let count: Int

    /// Nil where it is no question.
    init?(_ request: Request) {
        let words = request.uri.queryParameters
        func number(_ name: Substring) -> Int? { words[name].flatMap { Int(bounding: String($0)) } }
        guard let session = words["session"], let run = number("run"),
            let before = number("before"), before > 1, let count = number("count"), count > 0
        else { return nil }
        self.session = String(session)
        self.run = run
        self.before = before
        self.count = min(count, Limits.historyLines)
    }

    /// The finals that are meant; nil where the numbers are not this event's.
    func range(at now: FeedGreeting) -> ClosedRange<Int>? {
        now.history(of: session, run: run, before: before, count: count)
    }
}
