import Beamscribe
import BeamscribeCore

/// What the console's status row says of an event.
struct ConsoleStatus {
    let view: HostView
    /// Whether the captions are typed here.
    let isTyped: Bool

    /// What must be seen: what gets out, to how many.
    var left: String {
        let waits = view.waitingLines > 0 ? ", \(view.waitingLines) typed waiting" : ""
        return [
            gate + waits, view.isUnsaved ? "NOT SAVED" : nil, peers ?? guests,
            view.phones.map { plural($0, "phone") }, plural(view.lineCount, "line"),
        ].compactMap(\.self).joined(separator: " · ")
    }

    /// How long the input has said nothing, and how much it says: at length, and ever shorter.
    var right: [String] {
        let words = "\(input) · \(view.wordsPerMinute) words/min"
        return [words + ", \(view.linesPerMinute) lines/min", words, input]
    }

    /// How many nodes of a mesh there are links with, of all that are known; nil where this is none.
    private var peers: String? {
        view.peers.map { peers in
            peers.isEmpty
                ? "nobody else yet" : "\(peers.count { $0.isLinked }) of \(peers.count) here"
        }
    }

    /// How many there are, and how many of them would go on without this machine.
    private var guests: String {
        let all = plural(view.counts.stable + view.counts.syncing, "guest")
        let serving = view.counts.serving
        return serving > 0 ? "\(all) (\(serving) serving)" : all
    }

    private var gate: String {
        if view.isEventOver { return "ended" }
        if !view.isOnAir { return "STANDBY" }
        return switch view.gate {
        case .open: view.isInputOver ? "input over" : "live"
        case .paused: "PAUSED"
        case .offRecord: "OFF THE RECORD"
        }
    }

    private var input: String {
        if view.isInputOver { return "the input has ended" }
        guard let age = view.inputAge else { return isTyped ? "nothing typed yet" : "no input yet" }
        return "last input \(Int(saturating: age.seconds)) s ago"
    }
}
