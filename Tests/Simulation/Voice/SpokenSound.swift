import BeamscribeCore
import BeamscribeVoice

/// Sound whose every sample tells when it was said: it rises for 2 s and begins again.
enum SpokenSound {
    private static let period = 96_000
    private static let least: Float = 0.08
    private static let range: Float = 0.7
    /// Two periods, so that any stretch of one is a slice.
    private static let samples: [Float] = (0..<2 * period).map {
        least + range * Float($0 % period) / Float(period)
    }

    /// The sound of a stretch of time.
    ///
    /// - Parameters:
    ///   - time: its begin, in samples of 48 kHz.
    ///   - count: its length in samples, at most one period.
    static func said(at time: Int, count: Int) -> ArraySlice<Float> {
        let start = time % period
        return samples[start..<start + count]
    }

    static func isSilence(_ sample: Float) -> Bool { sample < least / 2 }

    /// The newest time up to a moment at which a sample was said.
    static func time(of sample: Float, by now: Int) -> Int {
        let phase = Int(saturating: Double((sample - least) / range * Float(period)).rounded())
        return now - ((now - phase) % period + period) % period
    }
}

/// A frame of sound: who said it, and when.
struct SpokenFrame {
    let talker: Int
    /// In samples of 48 kHz since the run began; nil for silence.
    let time: Int?
    /// In samples.
    let duration: Int

    /// Durations in samples, with Opus's configurations for them.
    private static let configurations: [Int: UInt8] = [240: 17, 480: 18, 960: 19]
    private static let silence = UInt32.max

    init(talker: Int, time: Int?, duration: Int) {
        (self.talker, self.time, self.duration) = (talker, time, duration)
    }

    /// The frame of a packet; nil where it is none.
    init?(packet: [UInt8]) {
        guard packet.count == 6, let duration = OpusPacket.duration(of: packet) else { return nil }
        let time = packet[2...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        self.init(
            talker: Int(packet[1]), time: time == Self.silence ? nil : Int(time),
            duration: duration)
    }

    /// As a packet that looks like Opus; nil for a duration that Opus has not.
    var packet: [UInt8]? {
        guard let configuration = Self.configurations[duration] else { return nil }
        let time = self.time.map { UInt32(clamping: $0) } ?? Self.silence
        return [configuration << 3, UInt8(clamping: talker)]
            + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: time >> $0) }
    }
}

/// Codes what a talker says.
final class SpokenEncoder: AudioEncoder {
    private let talker: Int
    /// Now, in samples.
    private let clock: () -> Int
    private let made: (SpokenFrame) -> Void

    init(of talker: Int, clock: @escaping () -> Int, made: @escaping (SpokenFrame) -> Void) {
        (self.talker, self.clock, self.made) = (talker, clock, made)
    }

    func encode(_ samples: UnsafeBufferPointer<Float>, bitrate: Int) -> [UInt8]? {
        let first = samples.firstIndex { !SpokenSound.isSilence($0) }
        let time = first.map { SpokenSound.time(of: samples[$0], by: clock()) - $0 }
        let frame = SpokenFrame(talker: talker, time: time, duration: samples.count)
        made(frame)
        return frame.packet
    }

    func reset() {}
}

/// Decodes one talker's packets and tells of each frame.
final class SpokenDecoder: AudioDecoder {
    /// The talker of its first frame.
    private var talker: Int?
    private let hear: (SpokenFrame) -> Void
    private let mixUp: () -> Void

    /// - Parameter mixUp: called for a frame of somebody else than before.
    init(hear: @escaping (SpokenFrame) -> Void, mixUp: @escaping () -> Void) {
        (self.hear, self.mixUp) = (hear, mixUp)
    }

    func decode(_ packet: [UInt8], appendingTo samples: inout [Float]) -> Bool {
        guard let frame = SpokenFrame(packet: packet) else { return false }
        if talker ?? frame.talker != frame.talker { mixUp() }
        talker = frame.talker
        hear(frame)
        if let time = frame.time {
            samples.append(contentsOf: SpokenSound.said(at: max(0, time), count: frame.duration))
        } else {
            conceal(frame.duration, appendingTo: &samples)
        }
        return true
    }

    func conceal(_ count: Int, appendingTo samples: inout [Float]) {
        samples.append(contentsOf: repeatElement(0, count: count))
    }

    func reset() {}
}

/// Hides nothing, but tells packets of other keys, changed ones and old ones from those that are due.
final class SimulatedProtection: VoiceProtection {
    private let secret: UInt64
    private let side: VoiceSide
    private var controlIndex: UInt32 = 0
    private var seen: Set<UInt64> = []

    init(secret: UInt64, side: VoiceSide) { (self.secret, self.side) = (secret, side) }

    /// FNV-1a over the bytes, with the key and the side in front.
    private func tag(_ bytes: UnsafeRawBufferPointer, from side: VoiceSide) -> UInt64 {
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325 ^ (secret &* 2 &+ (side == .host ? 1 : 0))
        for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return sum
    }

    func protect(_ packet: UnsafeMutableRawBufferPointer, count: Int) -> Int? {
        let isControl = RTCPPacket.isControl(UnsafeRawBufferPointer(packet))
        var length = count
        guard count + 8 + 4 <= packet.count else { return nil }
        let index = controlIndex &+ 1
        let body = UnsafeRawBufferPointer(rebasing: packet[..<count])
        let tag = tag(body, from: side) ^ (isControl ? UInt64(index) &* 0x9E37_79B9 : 0)
        packet.storeBytes(of: tag, toByteOffset: length, as: UInt64.self)
        length += 8
        if isControl {
            controlIndex = index
            packet.storeBytes(of: index.bigEndian, toByteOffset: length, as: UInt32.self)
            length += 4
        }
        return length
    }

    func open(_ packet: UnsafeMutableRawBufferPointer) -> Int? {
        let isControl = RTCPPacket.isControl(UnsafeRawBufferPointer(packet))
        let count = packet.count - 8 - (isControl ? 4 : 0)
        guard count > 0 else { return nil }
        let index =
            isControl ? packet.loadUnaligned(fromByteOffset: count + 8, as: UInt32.self) : 0
        let body = UnsafeRawBufferPointer(rebasing: packet[..<count])
        let tag =
            tag(body, from: side == .host ? .guest : .host)
            ^ (isControl ? UInt64(index.bigEndian) &* 0x9E37_79B9 : 0)
        guard packet.loadUnaligned(fromByteOffset: count, as: UInt64.self) == tag else {
            return nil
        }
        return seen.insert(tag).inserted ? count : nil
    }

    func forget(_ source: UInt32) {}
}
