import BeamscribeCore

/// Makes others quieter while one talks oneself, by 12 dB, without a click.
public struct Ducking: Sendable {
    private static let quiet: Float = 0.25
    /// From the one to the other in 20 ms.
    private static let step = (1 - quiet) / Float(OpusPacket.clock / 50)

    private var gain: Float = 1

    /// Nobody talks.
    public init() {}

    /// Does it to what is to be heard.
    ///
    /// - Parameter isDown: whether one talks.
    public mutating func turn(down isDown: Bool, _ buffer: inout [Float]) {
        guard isDown || gain < 1 else { return }
        for index in buffer.indices {
            gain = isDown ? max(Self.quiet, gain - Self.step) : min(1, gain + Self.step)
            buffer[index] *= gain
        }
    }
}
