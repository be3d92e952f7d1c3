/// How often one link may say how one log stands. Each head costs the check of a signature.
///
///     in time ----> checked at once
///     too often --> the newest waits, unchecked ---- tick ----> checked
///     a flood ----> the link is to blame
///
/// Invariant: at most one head waits, the newest that has come.
struct HeadAllowance {
    /// A head as it came.
    struct Waiting {
        let head: LogHead
        let payload: [UInt8]
    }

    private var checked = RateLimit(
        perSecond: Limits.headsPerSecond, atOnce: 4 * Limits.headsPerSecond)
    private var said = RateLimit(
        perSecond: 25 * Limits.headsPerSecond, atOnce: 250 * Limits.headsPerSecond)
    private var waiting: Waiting?

    /// A head has come.
    ///
    /// - Returns: whether it is to be checked now; else it waits.
    /// - Throws: where so many come that they cost too much even unchecked.
    mutating func admits(
        _ head: LogHead, as payload: UnsafeRawBufferPointer, now: Duration
    ) throws(GuestViolation) -> Bool {
        guard said.admits(now: now) else {
            throw .record("says how a log stands more often than anybody can follow")
        }
        let isDue = checked.admits(now: now)
        waiting = isDue ? nil : Waiting(head: head, payload: Array(payload))
        return isDue
    }

    /// Takes the head that waits, where it is to be checked by now.
    mutating func takeDue(now: Duration) -> Waiting? {
        guard let waiting, checked.admits(now: now) else { return nil }
        self.waiting = nil
        return waiting
    }
}
