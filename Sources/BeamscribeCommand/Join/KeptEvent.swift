import BeamscribeCore
import BeamscribeIO

/// Which of the events that this machine has kept for their hosts is meant, for a program that is started
/// anew to go on with it.
struct KeptEvent {
    /// The event's name, or a beginning of it; nil for any.
    let name: String?
    /// Where it is joined, as it was given; nil where it is found.
    let address: String?
    /// What the host's key has to be.
    let pin: FingerprintPin?
    /// Whether a code was given: an event that asks for none is not meant.
    let hasCode: Bool

    /// The one of which something was heard last that is not over, and that nobody else has; of those that
    /// are called so, if there are any, else of those whose name begins so. Nil for none.
    ///
    /// - Parameters:
    ///   - entries: all sessions that there are.
    ///   - now: in seconds since 1970.
    func find(among entries: [SessionEntry], now: Double) -> SessionEntry? {
        let fitting = entries.filter { isMeant($0) && !isOver($0, now: now) && !$0.isInUse }
        let exact = fitting.filter { $0.record.eventName == name }
        return (exact.isEmpty ? fitting : exact).max { $0.touched < $1.touched }
    }

    private func isMeant(_ entry: SessionEntry) -> Bool {
        let record = entry.record
        guard let held = record.held, let writer = record.writer, !record.isSideLog else {
            return false
        }
        let isThere = address.map { held.address == $0 } ?? true
        let isCalled = name.map { EventName.matches(record.eventName, wanted: $0) } ?? true
        return isThere && isCalled && pin?.matches(writer) ?? true
            && (!hasCode || record.hasCode == true)
    }

    /// A clock that was set back makes the newest seem to be of a time to come. One whose lines are
    /// gone goes on: it is known whose it is, and the user is told which lines are missing.
    private func isOver(_ entry: SessionEntry, now: Double) -> Bool {
        entry.record.state == .ended || entry.size == 0 && !entry.record.hadLines
            || now - entry.touched > Limits.keptEvent.seconds
    }
}

/// What was kept of an event is not what is on now, or is no use.
struct KeptIsUseless: Error {
    /// What the user is to know of it, as a sentence.
    let why: String
}
