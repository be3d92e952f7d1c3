import BeamscribeCore

/// When lines of several logs are written: at once, but for what was said before a guest came. That comes
/// one log after the other, and is kept for a moment, so that it can be given in the event's order.
///
/// Invariant: `end` is set while lines are kept, and is never further away than ``Limits/longestOrdering``.
struct ArrivalOrder {
    /// Whether there is another log than the main one.
    private var hasOthers = false
    /// When the first line that is kept came.
    private var begin: Duration?
    /// When what is kept is to be written; nil where nothing is.
    private(set) var end: Duration?

    /// Takes in what comes.
    mutating func note(_ event: GuestEvent, now: Duration) {
        switch event {
        case .log: hasOthers = true
        case .inLog(_, .line(let line)):
            hasOthers = true
            note(line, now: now)
        case .line(let line): note(line, now: now)
        default: break
        }
    }

    private mutating func note(_ line: TranscriptLine, now: Duration) {
        guard hasOthers, line.latency > Limits.orderedAge else { return }
        let begin = begin ?? now
        self.begin = begin
        end = min(now + Limits.ordering, begin + Limits.longestOrdering)
    }

    /// Nothing is kept any more.
    mutating func release() { (begin, end) = (nil, nil) }

    /// The same events with the lines in the event's order: no line goes past one of its own log, or past
    /// what is no line.
    ///
    /// - Parameter main: the main log's id.
    static func ordered(_ events: [GuestEvent], main: String) -> [GuestEvent] {
        var ordered: [GuestEvent] = []
        var logs = Queues(main: main)
        for event in events where !logs.append(event) {
            ordered += logs.merged()
            ordered.append(event)
        }
        return ordered + logs.merged()
    }

    /// The lines of each log, in the order in which they came.
    private struct Queues {
        let main: String
        private var sessions: [String] = []
        private var numbers: [String: Int] = [:]
        private var events: [[GuestEvent]] = []

        init(main: String) { self.main = main }

        /// - Returns: false for what is no line.
        mutating func append(_ event: GuestEvent) -> Bool {
            guard event.finalLine != nil else { return false }
            let session = event.log?.session ?? main
            let number = numbers[session] ?? sessions.count
            if number == sessions.count {
                numbers[session] = number
                sessions.append(session)
                events.append([])
            }
            events[number].append(event)
            return true
        }

        /// All of them in the event's order, of which none is left.
        mutating func merged() -> [GuestEvent] {
            defer { self = Queues(main: main) }
            var lines = MergedLines(of: sessions)
            var next = sessions.map { _ in 0 }
            for log in sessions.indices { lines.set(events[log][0].finalLine, of: log) }
            var merged: [GuestEvent] = []
            while let log = lines.first()?.log {
                merged.append(events[log][next[log]])
                next[log] += 1
                let isLast = next[log] == events[log].count
                lines.set(isLast ? nil : events[log][next[log]].finalLine, of: log)
            }
            return merged
        }
    }
}

extension GuestEvent {
    /// The finished line that this brings, in whichever log.
    var finalLine: TranscriptLine? {
        switch self {
        case .line(let line), .inLog(_, .line(let line)): line
        default: nil
        }
    }

    /// The log, besides the main one, that this is of.
    var log: LogTitle? {
        if case .inLog(let log, _) = self { return log }
        return nil
    }
}
