import BeamscribeCore

/// What one talker says, for a program that listens: raw samples, 16 bits, the low byte first, at an even pace as long as
/// he talks, and silence for a while after that, by which the program notices that he has ended. Between talks there is nothing.
///
/// Unlike a person a program does not answer: packets may be late by more. It has no clock, and who asks may be late,
/// too: sound is made as of the time when it was due.
///
/// Invariant: `due` is nil exactly while there is nothing to be heard of him.
public final class EvenSound {
    private static let step: Duration = .milliseconds(20)
    private static let samples = OpusPacket.clock / 50
    /// How long a packet waits for those before it, in milliseconds.
    private static let delay = 150.0
    /// Beyond which speech is skipped, in milliseconds: only where packets come in heaps.
    private static let mostDelay = 2_000.0

    private let buffer: JitterBuffer
    private let resampler: any Resampler
    private var due: Duration?
    private var lastPacket: Duration = .zero
    private var piece = [Float](repeating: 0, count: samples)

    /// - Parameters:
    ///   - decoder: the talker's own.
    ///   - resampler: of 48 kHz; what it gives is the rate of what comes out.
    public init(decoder: any AudioDecoder, resampler: any Resampler) {
        buffer = JitterBuffer(
            decoder: decoder, mostDelay: Self.mostDelay, fixedDelay: Self.delay)
        self.resampler = resampler
    }

    /// When ``take(now:)`` has something to give; nil for not before another packet has come.
    public var nextDeadline: Duration? { due }

    /// A packet of his came.
    ///
    /// - Returns: the samples that were due before it.
    public func put(_ packet: RTPPacket, now: Duration) -> [UInt8] {
        let before = take(now: now)
        if due == nil { wake(now: now) }
        lastPacket = now
        // What is wrong with a packet is the host's to count, which has done so.
        try? buffer.put(packet, now: now.milliseconds)
        return before
    }

    /// Who has not asked for sound for a while is taken for absent, and gets none of what comes then.
    private func wake(now: Duration) {
        makePiece(now: now)
        due = now + Self.step
    }

    /// He has said that his talk ends.
    ///
    /// - Parameter timestamp: of its last packet.
    public func endTalk(at timestamp: UInt32) { buffer.endTalk(at: timestamp) }

    /// Gives the samples that are due.
    public func take(now: Duration) -> [UInt8] {
        var made: [Float] = []
        while let time = due, time <= now {
            makePiece(now: time)
            piece.withUnsafeBufferPointer { resampler.resample($0, appendingTo: &made) }
            due = time - lastPacket < Limits.silenceBehindTalk ? time + Self.step : nil
        }
        return Self.bytes(of: made)
    }

    private func makePiece(now: Duration) {
        piece.withUnsafeMutableBufferPointer { buffer.take(into: $0, now: now.milliseconds) }
    }

    private static func bytes(of samples: [Float]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(samples.count * 2)
        for sample in samples {
            let value = Int16(saturating: max(-1, min(1, sample)) * 32_767)
            bytes.append(UInt8(truncatingIfNeeded: value))
            bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        }
        return bytes
    }
}
