import BeamscribeCore
import BeamscribeTerminal

/// What the status row of the live view says.
struct LiveStatus {
    private var event = ""
    private var device = ""
    private var state = GuestState.searching
    private var lines = 0
    private var latency: Double?
    private var historyEnd = 0

    mutating func take(_ event: GuestEvent) {
        switch event {
        case .joined(let name, let device, _, let history):
            self.event = name
            self.device = device
            historyEnd = history
        case .state(let state): self.state = state
        case .line(let line):
            lines += 1
            // The age of a line from the history is no latency.
            if line.seq > historyEnd { latency = line.latency }
        default: break
        }
    }

    /// The event and its host.
    var left: String {
        [event, device].filter { !$0.isEmpty }.joined(separator: " · ")
    }

    /// The state, how far behind, how many lines, how late.
    var right: String {
        let count = lines == 0 ? nil : "\(lines) line\(lines == 1 ? "" : "s")"
        let late = latency.map { "\(max(0, Int(($0 * 1_000).rounded()))) ms" }
        return [words, count, late].compactMap(\.self).joined(separator: " · ")
    }

    private var words: String {
        switch state {
        case .searching: "looking for the host"
        case .connecting: "connecting"
        case .syncing(let received, let total):
            ProgressText.catchingUp(received: received, of: total)
        case .live: "live"
        case .silent(let age): "silent for \(Int(age)) s"
        case .stalled: "the input has stopped"
        case .reconnecting(let why): "lost: \(why); trying again"
        case .ended: "ended"
        }
    }
}
