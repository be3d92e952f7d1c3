/// How many dials are allowed at once, and how soon each further one follows.
struct DialRate: Sendable {
    /// So many at once.
    let burst: Int
    /// The time between two dials after these.
    let interval: Duration
}

/// Allows a burst of dials, and further ones at a steady rate.
///
/// Invariant: in any time t it allows at most `burst` + t / `interval` dials.
struct DialLimiter {
    private let rate: DialRate
    /// When the burst would be whole again.
    private var full: Duration?

    init(_ rate: DialRate) { self.rate = rate }

    private var slack: Duration { rate.interval * (rate.burst - 1) }

    /// The earliest time of the next dial.
    var next: Duration { full.map { $0 - slack } ?? .zero }

    /// Counts a dial.
    ///
    /// - Returns: false where it has to wait; it is not counted then.
    mutating func take(now: Duration) -> Bool {
        let start = max(full ?? now, now)
        guard start - now <= slack else { return false }
        full = start + rate.interval
        return true
    }
}

/// The pauses of addresses of which only others have told, whoever names them and as whose.
///
/// Invariant: at most ``Limits/pausedAddresses`` are remembered; those whose pause ends first are
/// forgotten.
struct AddressPauses {
    private var pauses: [String: (backoff: Backoff, retryAt: Duration)] = [:]

    /// When an address may be dialled again.
    func retryAt(_ address: String) -> Duration { pauses[address]?.retryAt ?? .zero }

    /// Whether the last dial failed.
    func hasFailed(_ address: String) -> Bool { pauses[address] != nil }

    /// A dial failed.
    mutating func failed(
        _ address: String, now: Duration, using generator: inout some RandomNumberGenerator
    ) {
        var backoff = pauses[address]?.backoff ?? Backoff()
        let pause = backoff.next(using: &generator)
        pauses[address] = (backoff, now + pause)
        guard pauses.count > Limits.pausedAddresses,
            let first = pauses.min(by: { ($0.value.retryAt, $0.key) < ($1.value.retryAt, $1.key) })
        else { return }
        pauses[first.key] = nil
    }

    /// A node answered there.
    mutating func answered(_ address: String) { pauses[address] = nil }
}
