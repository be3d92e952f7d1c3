import BeamscribeIO

/// What somebody is asked who is about to delete sessions.
struct DeleteQuestion {
    /// What is to go: "3 events with 412 lines".
    let what: String
    let text: String

    /// - Parameters:
    ///   - damaged: how many more there are that cannot be read.
    ///   - now: seconds since 1970.
    init(_ sessions: [SessionSummary], damaged: Int, now: Double) {
        let lines = plural(sessions.map(\.lines).reduce(0, +), "line")
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
}
