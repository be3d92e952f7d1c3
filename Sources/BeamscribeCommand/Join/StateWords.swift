import BeamscribeCore
import BeamscribeTerminal

/// What a guest's states are called for people. Each can be told from all others.
enum StateWords {
    /// - Parameters:
    ///   - age: how long ago the state was told, in seconds.
    ///   - now: this machine's clock, in seconds since 1970.
    static func words(for state: GuestState, age: Double = 0, now: Double = 0) -> String {
        switch state {
        case .searching: "looking for the host"
        case .connecting: "connecting"
        case .syncing(let received, let total):
            ProgressText.catchingUp(received: received, of: total)
        case .live: "live"
        case .silent(let inputAge): "silent for \(duration(inputAge + age))"
        case .stalled(.stalled): "nothing comes in at the host"
        case .stalled(.ended): "the input has ended"
        case .stalled(.paused): "paused by the host"
        case .stalled(.offRecord): "off the record"
        case .stalled(.offAir): "others caption for the host"
        case .unheard(let via, let headAge):
            "host not heard for \(duration(headAge + age)), through \(via)"
        case .reconnecting(let lost):
            "\(loss(lost)) for \(duration(now - lost.since)), trying again"
        case .ended: "ended"
        }
    }

    /// Words come in, of somebody who captions in the host's place.
    static func live(for name: String) -> String { "live: \(name) captions for the host" }

    /// Nobody captions any more in an event that is nobody's.
    static func nobodyHeard(for seconds: Double) -> String {
        "nobody was heard for \(duration(seconds))"
    }

    /// What a lost connection is called.
    static func loss(_ loss: ConnectionLoss) -> String {
        switch loss.cause {
        case .networkLost: "network lost"
        case .hostLost: "host lost"
        case .hostGone: "host gone"
        }
    }

    private static func duration(_ seconds: Double) -> String {
        let whole = Int(saturating: max(0, min(seconds, 1e9)))
        return whole < 120 ? "\(whole) s" : "\(whole / 60) min"
    }
}
