/// Which line comes next of several logs, of each of which the next is known: the order of an event's
/// lines is by their places, and of those at one place by their logs' ids. It is the same for all who hold
/// the same logs.
public struct MergedLines {
    private let sessions: [String]
    private var next: [TranscriptLine?]

    /// - Parameter sessions: the logs' ids, of none of which a line is known yet.
    public init(of sessions: [String]) {
        self.sessions = sessions
        next = Array(repeating: nil, count: sessions.count)
    }

    /// The next line of a log; nil at its end.
    public mutating func set(_ line: TranscriptLine?, of log: Int) { next[log] = line }

    /// The line that is next of all, which is to be followed by the next of its log; nil at the end.
    public func first() -> (line: TranscriptLine, log: Int)? {
        var first: (line: TranscriptLine, log: Int)?
        for (log, line) in next.enumerated() {
            guard let line else { continue }
            if let other = first,
                (other.line.at, sessions[other.log]) <= (line.at, sessions[log])
            {
                continue
            }
            first = (line, log)
        }
        return first
    }
}
