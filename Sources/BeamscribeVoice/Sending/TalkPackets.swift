import BeamscribeCore

/// Packets of what a microphone hears while somebody talks.
///
/// Timestamps follow the microphone's clock, also while nobody talks: samples that a device has dropped move them
/// on, or each listener would hear everything after them later. A talk's first packet is marked; copies reach
/// back to the talk's beginning, not before.
///
/// Invariant: `pending` is what was heard just before `clock`: less than a frame of a talk, or what the next one may
/// begin with.
public struct TalkPackets {
    private let encoder: any AudioEncoder
    private let source: UInt32
    private var shape: TalkShape
    private var wished: TalkShape
    /// The time of what will be heard next, in samples.
    private var clock: UInt32
    private var sequence: UInt16
    private var pending: [Float] = []
    private var isTalking = false
    private var isFirst = false
    private var copies: [RedundantAudio.Block] = []
    /// As much as is kept before a talk: 60 ms.
    private static let lookBack = 2_880

    /// How many packets were made.
    public private(set) var packets = 0
    /// How many bytes their payloads had.
    public private(set) var bytes = 0
    /// The timestamp of the last packet.
    public private(set) var lastTimestamp: UInt32?

    /// - Parameters:
    ///   - source: as the host has given it.
    ///   - seed: for where numbers begin. The sequence begins below 2^15 (RFC 3711, section 3.3.1).
    public init(
        source: UInt32, shape: TalkShape, encoder: any AudioEncoder, seed: UInt64
    ) {
        var generator = SeededGenerator(seed: seed)
        self.source = source
        self.encoder = encoder
        self.shape = shape.clamped
        wished = shape.clamped
        clock = UInt32.random(in: .min ... .max, using: &generator)
        sequence = UInt16.random(in: 0..<0x8000, using: &generator)
    }

    /// The time of what is heard next.
    public var timestamp: UInt32 { clock }

    /// Packets are to be of another shape from the next on.
    public mutating func setShape(_ shape: TalkShape) {
        wished = shape.clamped
    }

    /// A talk begins.
    ///
    /// - Parameter lookBack: how much of what was heard before is part of it, in milliseconds.
    public mutating func begin(lookBack: Double) {
        guard !isTalking else { return }
        let samples = Int(saturating: lookBack * Double(OpusPacket.clock) / 1_000)
        pending.removeFirst(max(0, pending.count - samples))
        (isTalking, isFirst, copies) = (true, true, [])
        encoder.reset()
    }

    /// A talk ends: what is left of it fills a frame with silence.
    public mutating func end() -> [RTPPacket] {
        guard isTalking else { return [] }
        isTalking = false
        let rest = pending.count
        guard rest > 0 else { return [] }
        pending += repeatElement(0, count: max(0, shape.samples - rest))
        defer { pending = [] }
        let packet = packet(from: clock &- UInt32(clamping: rest))
        return packet.map { [$0] } ?? []
    }

    /// The microphone has heard something.
    ///
    /// - Parameter dropped: samples that the device has lost before it.
    /// - Returns: what is to be sent.
    public mutating func hear(
        _ samples: UnsafeBufferPointer<Float>, dropped: Int = 0
    ) -> [RTPPacket] {
        if dropped > 0 {
            // What was begun cannot be joined with what follows.
            pending = []
            clock &+= UInt32(truncatingIfNeeded: dropped)
        }
        pending.append(contentsOf: samples)
        clock &+= UInt32(clamping: samples.count)
        guard isTalking else {
            pending.removeFirst(max(0, pending.count - Self.lookBack))
            return []
        }
        shape = wished
        var made: [RTPPacket] = []
        while pending.count >= shape.samples {
            if let packet = packet(from: clock &- UInt32(clamping: pending.count)) {
                made.append(packet)
            }
            pending.removeFirst(shape.samples)
        }
        return made
    }

    private mutating func packet(from time: UInt32) -> RTPPacket? {
        let coded = pending.withUnsafeBufferPointer {
            encoder.encode(
                UnsafeBufferPointer(rebasing: $0[..<shape.samples]), bitrate: shape.bitrate)
        }
        guard let coded else { return nil }
        let type: VoicePayload = shape.redundancy > 0 ? .redundant : .opus
        let payload: [UInt8]
        if shape.redundancy > 0 {
            payload =
                RedundantAudio(
                    coded, payloadType: VoicePayload.opus.rawValue,
                    copies: copies.suffix(shape.redundancy).map { copy in
                        var copy = copy
                        copy.age = time &- copy.age
                        return copy
                    }
                ).payload
        } else {
            payload = coded
        }
        // Until it is sent, a copy's age is its time.
        copies.append(
            .init(payloadType: VoicePayload.opus.rawValue, age: time, bytes: coded))
        if copies.count > Limits.redundancy { copies.removeFirst() }
        defer {
            sequence &+= 1
            isFirst = false
            packets += 1
            bytes += payload.count
            lastTimestamp = time
        }
        let header = RTPHeader(
            payloadType: type.rawValue, isMarked: isFirst, sequence: sequence, timestamp: time,
            source: source)
        return RTPPacket(header, payload: payload)
    }
}
