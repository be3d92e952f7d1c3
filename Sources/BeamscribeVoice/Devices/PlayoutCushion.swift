import BeamscribeCore

/// How much is to wait for a loudspeaker: one period, and more where that has proved too little.
///
/// Invariant: what is added is a whole number of periods, and 40 ms at most.
public struct PlayoutCushion: Sendable {
    /// What may be added, in samples.
    private static let most = OpusPacket.clock * 40 / 1_000
    /// After so long without a fault a period is taken back.
    private static let calm: Duration = .seconds(10)

    private let margin: Int
    private var added = 0
    private var faults = 0
    private var since: Duration = .zero

    /// - Parameter margin: what always waits besides, in samples.
    public init(margin: Int = 0) { self.margin = margin }

    /// How many samples are to wait.
    ///
    /// - Parameters:
    ///   - period: how many the device takes at once.
    ///   - faults: how often it has found too few, since it was opened.
    public mutating func wanted(period: Int, faults: Int, now: Duration) -> Int {
        guard period > 0 else { return 0 }
        if faults > self.faults {
            added = min(added + 1, Self.most / period)
            since = now
        } else if added > 0, now - since >= Self.calm {
            added -= 1
            since = now
        }
        self.faults = faults
        return margin + period * (1 + min(added, Self.most / period))
    }
}
