/// How far the other side's clock is from ours, from the echoes of keep-alives.
///
/// As NTP does it (RFC 5905, section 8): we sent at `t1`, they got it at `t2`, they answered at
/// `t3`, we got that at `t4`. The answer that took the shortest way is the best witness.
///
/// Invariant: holds the last eight samples at most.
public struct ClockComparison: Sendable {
    private var samples: [(roundTrip: Double, offset: Double)] = []
    private static let kept = 8

    /// Before the first exchange.
    public init() {}

    /// Takes in one exchange; times in seconds, `t1` and `t4` by our clock, the others by theirs.
    /// Impossible ones (an answer before the question) are passed over.
    public mutating func add(t1: Double, t2: Double, t3: Double, t4: Double) {
        let roundTrip = (t4 - t1) - (t3 - t2)
        let offset = ((t2 - t1) + (t3 - t4)) / 2
        guard roundTrip >= 0, roundTrip < 60, offset.isFinite else { return }
        samples.append((roundTrip, offset))
        if samples.count > Self.kept { samples.removeFirst() }
    }

    /// Their clock minus ours, in seconds; nil before the first exchange.
    public var offset: Double? { best?.offset }

    /// The shortest way there and back, in seconds.
    public var roundTrip: Double? { best?.roundTrip }

    private var best: (roundTrip: Double, offset: Double)? {
        samples.min { $0.roundTrip < $1.roundTrip }
    }
}
