import BeamscribeCore

/// What the first bytes of an Opus packet say about the rest (RFC 6716, section 3).
public enum OpusPacket {
    /// The clock of Opus over RTP, in samples per second (RFC 7587, section 4.1).
    public static let clock = 48_000
    /// The longest frame, in bytes (RFC 6716, section 3.4).
    public static let mostBytes = 1_275
    /// The longest packet, in samples of 48 kHz: 120 ms.
    public static let mostSamples = 5_760

    /// How long samples last, in milliseconds.
    static func milliseconds(of samples: Int) -> Double { 1_000 * Double(samples) / Double(clock) }

    /// How long a packet's audio lasts, in samples of 48 kHz; nil where it is not one, or longer than may be.
    public static func duration(of packet: some RandomAccessCollection<UInt8>) -> Int? {
        guard let first = packet.first, packet.count <= mostBytes else { return nil }
        let frames: Int
        switch first & 0x03 {
        case 0: frames = 1
        case 1, 2: frames = 2
        default:
            guard packet.count >= 2 else { return nil }
            frames = Int(packet[packet.index(after: packet.startIndex)] & 0x3F)
        }
        let samples = frames * frameDuration(configuration: first >> 3)
        return (1...mostSamples).contains(samples) ? samples : nil
    }

    /// How long a frame lasts, in samples of 48 kHz (RFC 6716, table 2).
    private static func frameDuration(configuration: UInt8) -> Int {
        switch configuration {
        case 0...11: [480, 960, 1_920, 2_880][Int(configuration & 3)]
        case 12...15: configuration & 1 == 0 ? 480 : 960
        default: 120 << Int(configuration & 3)
        }
    }
}
