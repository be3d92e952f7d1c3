import BeamscribeCore

/// What a reader has been shown of the event's logs besides the main one.
///
/// Invariant: of each log the lines shown are consecutive, and their writer's; of one that two write those of
/// one of them alone.
struct OtherLogsView {
    /// The newest line that was shown, by the logs' sessions.
    private var last: [String: Int] = [:]
    /// Whose lines they are, of those who write a log.
    private var followed: [String: [WrittenLog]] = [:]
    /// Whether a log is read from its first line on.
    private let readsAll: Bool

    init(_ start: GuestSession.Start) { readsAll = start != .next }

    /// - Parameter mayLack: whether somebody may have lost lines, which come late then, or never.
    /// - Returns: what is wrong; nil where nothing is.
    mutating func take(
        _ event: GuestEvent, of title: LogTitle, among logs: [WrittenLog], mayLack: Bool = false
    ) -> String? {
        let session = title.session
        let written = logs.filter { $0.session == session }
        guard !written.isEmpty else { return "it is told of a log that nobody writes" }
        switch event {
        case .line(let line):
            let writers = (followed[session] ?? written).filter {
                $0.text(of: line.seq) == line.text
            }
            guard !writers.isEmpty else {
                return "it shows line \(line.seq) of another log with other words than were said"
            }
            if mayLack, line.isLate, line.seq <= last[session] ?? 0 { return nil }
            let due = last[session].map { $0 + 1 } ?? (readsAll ? 1 : line.seq)
            guard line.seq == due else {
                return "it shows line \(line.seq) of another log, where \(due) is due"
            }
            (last[session], followed[session]) = (line.seq, writers)
        case .partial(let partial):
            guard
                partial.text.isEmpty || written.contains(where: { $0.hasWhispered(partial.text) })
            else {
                return "it shows an open line of another log that nobody has begun"
            }
        case .gap(_, let through) where mayLack: last[session] = through
        case .gap(let from, let through):
            return "it is told that lines \(from) to \(through) of another log are gone"
        // Somebody may have read it on from another than the host.
        case .withdrawn(let from, _) where written.contains(where: \.wasPutOut):
            if let newest = last[session], newest >= from { last[session] = from - 1 }
        case .withdrawn(let from, _):
            return "lines from \(from) of another log are withdrawn, and nobody has lost them"
        default: return "it is told of \(event) in another log"
        }
        return nil
    }

    /// The newest line that was shown of a log; 0 for none.
    func last(of log: WrittenLog) -> Int { last[log.session] ?? 0 }

    /// What is wrong with it once all of a log must have been shown; who came to it late may have wanted
    /// nothing of it.
    ///
    /// - Parameter end: the last line that is of the event; nil for a log without an end.
    func fault(comparedTo log: WrittenLog, through end: Int? = nil) -> String? {
        let due = min(end ?? log.lastSeq, log.lastSeq)
        guard let last = last[log.session] ?? (readsAll ? 0 : nil) else { return nil }
        if end != nil, last > due {
            return "it has line \(last) of another log, whose writer was put out after line \(due)"
        }
        return last < due ? "it has line \(last) of another log's \(due)" : nil
    }
}
