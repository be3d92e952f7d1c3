import BeamscribeIO

/// What somebody is asked who is about to delete sessions.
struct DeleteQuestion {
    /// What is to go: "3 events with 412 lines".
    let what: String
    let text: String

    /// - Parameters:
    ///   - all: the sessions, with the other logs of their events, which go with these.
    ///   - damaged: how many more there are that cannot be read.
    ///   - now: seconds since 1970.
    init(_ all: [SessionSummary], damaged: Int, now: Double) {
        let ids = Set(all.map(\.session))
        let isOther = { (session: SessionSummary) in
            session.eventSession.map(ids.contains) == true
        }
        let (sessions, others) = (all.filter { !isOther($0) }, all.filter(isOther))
        let lines = Self.lines(of: sessions, and: others)
        let rest = damaged == 0 ? nil : "\(plural(damaged, "event")) that cannot be read"
        if let only = sessions.first, sessions.count == 1, rest == nil {
            what = "\"\(only.event)\" of \(LocalTime(only.started).dayAndTime) with \(lines)"
        } else {
            let whole = sessions.isEmpty ? nil : "\(plural(sessions.count, "event")) with \(lines)"
            what = [whole, rest].compactMap(\.self).joined(separator: " and ")
        }
        let open = sessions.count { $0.state == .stopped || $0.state == .interrupted }
        let warning =
            open == 0
            ? "" : " \(open == 1 ? "One has" : "\(open) have") not ended: who waits, waits in vain."
        text = "Delete \(what) for good?\(warning) [y/N] "
    }

    private static func lines(
        of sessions: [SessionSummary], and others: [SessionSummary]
    ) -> String {
        let count = { (sessions: [SessionSummary]) in
            plural(sessions.map(\.lines).reduce(0, +), "line")
        }
        guard !others.isEmpty else { return count(sessions) }
        let logs = others.count == 1 ? "another log" : "\(others.count) other logs"
        return "\(count(sessions)), and \(logs) in \(sessions.count == 1 ? "it" : "them") with "
            + count(others)
    }
}
