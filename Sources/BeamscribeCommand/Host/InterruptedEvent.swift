import BeamscribeCore
import BeamscribeIO

/// An event that was hosted here a short while ago and has not ended: who gives the same command
/// again goes on with it, as its guests expect.
struct InterruptedEvent: Equatable {
    let session: String
    /// The event's name.
    let event: String
    /// Whether its host left in good order, rather than by a crash.
    let wasStopped: Bool
    /// Whether guests had to know a code.
    let hasCode: Bool
    /// Seconds since anything was heard of it.
    let age: Double

    /// The newest of a name that is not over; nil where there is none, or another host has it.
    ///
    /// - Parameters:
    ///   - entries: all sessions that there are.
    ///   - now: in seconds since 1970.
    init?(named name: String, among entries: [SessionEntry], now: Double) {
        let ages = entries.map { entry in
            (entry, now - entry.touched)
        }
        // A clock that was set back makes the newest seem to be of a time to come.
        let recent = ages.filter { $0.1 <= Limits.interruptedEvent.seconds && $0.0.hasLines }
            .filter { $0.0.record.eventName == name && $0.0.record.isOwnEvent }
        guard let (entry, age) = recent.min(by: { $0.1 < $1.1 }), !entry.isInUse,
            entry.record.state != .ended
        else { return nil }
        session = entry.record.session
        event = name
        wasStopped = entry.record.state == .stopped
        hasCode = entry.record.hasCode == true
        self.age = max(0, age)
    }

    /// What the operator is asked.
    var question: String {
        "\"\(SafeText.line(event))\" \(whatBefell). Go on with it, with all its lines? [Y/n] "
    }

    /// What is said where nobody can be asked.
    var statement: String {
        "\"\(SafeText.line(event))\" \(whatBefell): going on with it (--new begins another)."
    }

    /// What is said where a host without a code cannot go on with it.
    var refusal: String {
        "\"\(SafeText.line(event))\" \(whatBefell), and asks for a code, which was not given: this is "
            + "another event of that name. To go on: beamscribe host --resume "
            + "\(session.prefix(8)) --code"
    }

    private var whatBefell: String {
        let minutes = Int(saturating: age / 60)
        let time = minutes == 0 ? "a moment ago" : "\(plural(minutes, "minute")) ago"
        return "was \(wasStopped ? "stopped" : "interrupted") \(time)"
    }
}
