import BeamscribeVoice

/// Sound by which one sees when each of its samples was made: it rises for 2 s, and begins again. What a decoder
/// guesses is silence, so that what was said can be told from it.
enum Ruler {
    static let period = 96_000
    private static let least: Float = 0.08
    /// It ends below where a mixer rounds peaks.
    private static let range: Float = 0.7

    static func sample(at time: Int) -> Float {
        least + range * Float(time % period) / Float(period)
    }

    /// When a sample was made, within a period.
    static func phase(of sample: Float) -> Int {
        max(0, Int(((sample - least) / range * Float(period)).rounded()))
    }

    /// What was heard.
    enum Sound: Equatable {
        case silence
        /// Pieces were joined here.
        case blend
        /// It was made at a time, in samples.
        case said(Int)
    }

    /// What sound tells that was heard at a moment, if it was said not much earlier.
    static func read(_ samples: ArraySlice<Float>, heardAt now: Int) -> Sound {
        let (first, last) = (samples.first!, samples.last!)
        guard first > least / 2 || last > least / 2 else { return .silence }
        let rise = range * Float(samples.count - 1) / Float(period)
        guard abs(last - first - rise) < rise / 4 else { return .blend }
        let phase = phase(of: first)
        let late = ((now - phase) % period + period) % period
        return .said(now - late)
    }
}

/// Codes the ruler as if it were Opus: the first byte says how long it lasts, the others when it begins.
enum RulerCodec {
    /// Durations in samples, with what Opus has for them.
    private static let configurations: [Int: UInt8] = [120: 16, 240: 17, 480: 18, 960: 19]

    static func packet(at time: Int, duration: Int) -> [UInt8] {
        [configurations[duration]! << 3]
            + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: time >> $0) }
    }
}

final class RulerDecoder: AudioDecoder {
    private(set) var guesses: [Int] = []

    func decode(_ packet: [UInt8], appendingTo samples: inout [Float]) -> Bool {
        guard packet.count == 5, let duration = OpusPacket.duration(of: packet) else {
            return false
        }
        let time = packet.dropFirst().reduce(0) { $0 << 8 | Int($1) }
        samples.append(contentsOf: (time..<time + duration).map(Ruler.sample))
        return true
    }

    func conceal(_ count: Int, appendingTo samples: inout [Float]) {
        guesses.append(count)
        samples.append(contentsOf: repeatElement(0, count: count))
    }

    func reset() {}
}
