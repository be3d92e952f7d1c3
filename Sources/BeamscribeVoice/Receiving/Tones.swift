import BeamscribeCore

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// What the program itself says to the ear: a few short tones, which nobody else hears.
///
/// Invariant: at most one of its signals waits or sounds; a newer one takes its place.
public struct Tones: Sendable {
    /// What is to be said.
    public enum Signal: Sendable {
        /// The connection is gone: three short tones.
        case lost
        /// A talk ends in 5 s: one high tone.
        case endsSoon
        /// As many talk as may, or a talk was ended: two low tones.
        case refused

        /// Each in Hz; 0 is a pause.
        fileprivate var notes: [Double] {
            switch self {
            case .lost: [660, 0, 660, 0, 660]
            case .endsSoon: [880]
            case .refused: [330, 0, 330]
            }
        }
    }

    /// 90 ms.
    private static let length = OpusPacket.clock * 90 / 1_000
    /// What it takes to come and go without a click: 5 ms.
    private static let edge = OpusPacket.clock / 200
    /// 20 dB below full scale.
    private static let amplitude = 0.1

    private var notes: ArraySlice<Double> = []
    private var position = 0

    /// Nothing is to be said.
    public init() {}

    /// Says something.
    public mutating func play(_ signal: Signal) {
        notes = signal.notes[...]
        position = 0
    }

    /// Adds what is to be said to what is heard.
    public mutating func mix(into buffer: inout [Float]) {
        guard !notes.isEmpty else { return }
        for index in buffer.indices {
            guard let frequency = notes.first else { return }
            buffer[index] = Mixer.limited(buffer[index] + Self.sample(frequency, position))
            position += 1
            if position == Self.length {
                position = 0
                notes.removeFirst()
            }
        }
    }

    private static func sample(_ frequency: Double, _ position: Int) -> Float {
        guard frequency > 0 else { return 0 }
        let phase = 2 * Double.pi * frequency * Double(position) / Double(OpusPacket.clock)
        let distance = Double(min(position, length - position)) / Double(edge)
        return Float(sin(phase) * amplitude * min(1, distance))
    }
}
