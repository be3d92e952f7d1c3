import BeamscribeCore

/// Somebody else on a channel, as a guest hears him.
final class VoicePerson {
    let source: UInt32
    let name: String
    let channel: String
    let buffer: JitterBuffer
    /// How loud he is, as a factor.
    var gain: Float = 1
    private(set) var isTalking = false
    private(set) var lastPacket: Duration?
    private var window = QualityWindow()
    private var meter = LevelMeter()
    private var sound = [Float](repeating: 0, count: 240)

    init(_ peer: VoicePeer, decoder: any AudioDecoder, fixedDelay: Double?) {
        (source, channel) = (peer.ssrc, peer.channel)
        name = SafeText.name(peer.name, bytes: Limits.deviceNameBytes)
        buffer = JitterBuffer(decoder: decoder, fixedDelay: fixedDelay)
    }

    /// He begins to talk, or has ended.
    ///
    /// - Returns: whether that is news.
    func setTalking(_ isTalking: Bool) -> Bool {
        defer { self.isTalking = isTalking }
        return isTalking != self.isTalking
    }

    /// A packet of his came.
    func put(_ packet: RTPPacket, now: Duration) throws(PacketFault) {
        lastPacket = now
        try buffer.put(packet, now: now.milliseconds)
    }

    /// What he says next.
    func take(_ count: Int, now: Duration) -> [Float] {
        if sound.count != count { sound = [Float](repeating: 0, count: count) }
        sound.withUnsafeMutableBufferPointer { buffer.take(into: $0, now: now.milliseconds) }
        sound.withUnsafeBufferPointer { meter.add($0) }
        return sound
    }

    /// A second has passed.
    func secondPassed() { window.add(buffer.currentFigures) }

    /// How he is heard.
    func state(now: Duration) -> VoicePersonState {
        let figures = buffer.currentFigures
        let isAway = isTalking && (lastPacket.map { now - $0 > .seconds(2) } ?? false)
        return VoicePersonState(
            source: source, name: name, channel: channel, isTalking: isTalking,
            quality: isAway ? .away : window.quality(delay: figures.delay),
            level: meter.decibels, gain: gain, figures: figures, jitter: buffer.jitter,
            lost: buffer.lost, expected: buffer.expected)
    }
}

/// Somebody else on a channel, and how he is heard.
public struct VoicePersonState: Equatable, Sendable {
    /// The source of his packets.
    public var source: UInt32
    /// His name for people.
    public var name: String
    /// Where he talks.
    public var channel: String
    /// Whether he does.
    public var isTalking: Bool
    /// How well he is heard.
    public var quality: HearingQuality
    /// How loud he is, in decibels of full scale.
    public var level: Double
    /// How loud he is made, as a factor.
    public var gain: Float
    /// What was heard of him.
    public var figures: ListeningFigures
    /// How much his packets' times vary, in milliseconds.
    public var jitter: Double
    /// How many of his packets did not arrive.
    public var lost: Int
    /// How many should have.
    public var expected: Int
}

extension Duration {
    /// In milliseconds.
    var milliseconds: Double {
        Double(components.seconds) * 1_000 + Double(components.attoseconds) * 1e-15
    }
}
