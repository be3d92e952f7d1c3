import BeamscribeCore
import BeamscribeTerminal

/// What the status row of the live view says.
struct LiveStatus {
    private(set) var event = ""
    private var device = ""
    private var session = ""
    /// Who captions in the host's place, in the order in which they began to.
    private var standIns: [LogTitle] = []
    /// Whether the event goes on without whoever has begun it, and by whom.
    private var isOpen = false
    private var others: Set<String> = []
    private var state = GuestState.searching
    private var latency: Double?
    private var historyEnd = 0
    /// When the state was told.
    private var stateSince = 0.0
    /// What was shown before a loss that is too short to tell.
    private var beforeLoss: GuestState?

    /// - Parameter now: this machine's clock, in seconds since 1970.
    mutating func take(_ event: GuestEvent, at now: Double) {
        switch event {
        case .joined(let joined):
            self.event = joined.eventName
            device = joined.deviceName
            (session, isOpen) = (joined.session, joined.isOpen)
            historyEnd = joined.history
            beforeLoss = nil
        case .state(let new):
            if case .reconnecting = new {
                if case .reconnecting = state {} else { beforeLoss = state }
            } else {
                stateSince = now
            }
            state = new
        case .stillLost: beforeLoss = nil
        case .log(let log, let standing) where log.standsInFor != nil:
            standIns.removeAll { $0.session == log.session }
            if standing == .live { standIns.append(log) }
        case .log(let log, .live): others.insert(log.session)
        case .log(let log, _): others.remove(log.session)
        case .line(let line):
            // The age of a line from the history is no latency.
            if line.seq > historyEnd { latency = line.latency }
        default: break
        }
    }

    /// The event and its host.
    var left: String {
        [event, device].filter { !$0.isEmpty }.joined(separator: " · ")
    }

    /// The state, how far behind, which logs, how many lines, how late: the most important first.
    ///
    /// - Parameters:
    ///   - lines: how many there are, where corrections are no lines of their own.
    ///   - logs: how many of the event's logs are shown, where that is worth a word.
    func parts(at now: Double, lines: Int, logs: String? = nil) -> [String] {
        let count = lines == 0 ? nil : plural(lines, "line")
        let late = latency.map { "\(Int(milliseconds: $0)) ms" }
        return [words(at: now), logs, count, late].compactMap(\.self)
    }

    private func words(at now: Double) -> String {
        let shown = beforeLoss ?? state
        let standIn = standIns.last { $0.standsInFor == session }
        switch (shown, standIn) {
        // What is said now comes, whoever says it.
        case (.unheard, let log?), (.stalled(.offAir), let log?):
            return StateWords.live(for: log.label)
        case (.unheard, nil) where isOpen && !others.isEmpty: return StateWords.words(for: .live)
        case (.unheard(_, let age), nil) where isOpen:
            return StateWords.nobodyHeard(for: age + max(0, now - stateSince))
        default: return StateWords.words(for: shown, age: max(0, now - stateSince), now: now)
        }
    }
}
