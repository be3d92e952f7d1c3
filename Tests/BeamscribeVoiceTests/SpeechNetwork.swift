import BeamscribeCore
import BeamscribeVoice

/// What befalls packets on their way.
struct SpeechFaults {
    /// The share that is lost, 0 to 1.
    var loss = 0.0
    /// How many are lost in a row, on average.
    var run = 1.0
    /// The delay of each is one more millisecond and up to twice this.
    var jitter = 0.0
    /// How many times in a second the radio is away for 80 ms, and then gives all at once.
    var absences = 0.0
    /// The share that comes twice.
    var doubles = 0.0
    /// How much faster the listener's clock runs, in millionths.
    var skew = 0.0
    /// Copies of what went before in each packet.
    var redundancy = 0
    /// A frame's length, in milliseconds.
    var frame = 10
    /// When the listener is not there, in milliseconds.
    var freeze: Range<Double>?
}

/// One talk over a network that is made of numbers, and what is heard of it.
struct SpeechNetwork {
    private struct Arrival {
        var at: Double
        var packet: RTPPacket
    }

    /// Mouth to ear in milliseconds, at each moment at which something was heard.
    private var delays: [Double] = []
    /// Those moments, in 5 ms.
    private var delayTicks: [Int] = []
    /// What the buffer counted.
    private(set) var figures = ListeningFigures()
    /// The share of frames of which something was heard.
    private(set) var heard = 0.0
    /// The share of frames that the network let through, or a copy of them.
    private(set) var reachable = 0.0
    /// The longest run of silence after the first sound, in milliseconds.
    private(set) var longestGap = 0.0
    /// Whether something was heard again that had been heard long before.
    private(set) var wentBack = false

    init(
        _ faults: SpeechFaults, seed: UInt64, seconds: Int = 10,
        buffer: JitterBuffer = JitterBuffer(decoder: RulerDecoder())
    ) {
        var generator = SeededGenerator(seed: seed)
        let (arrivals, sent) = Self.arrivals(faults, seconds: seconds, &generator)
        listen(to: arrivals, sent, buffer, faults, seconds: seconds)
        figures = buffer.currentFigures
    }

    private static func arrivals(
        _ faults: SpeechFaults, seconds: Int, _ generator: inout SeededGenerator
    ) -> (arrivals: [Arrival], reachable: Set<Int>) {
        let duration = faults.frame * 48
        let origin = UInt32.max &- 200_000
        var arrivals: [Arrival] = []
        var reachable: Set<Int> = []
        var isLosing = false
        var absentUntil = -1.0
        for index in 0..<(seconds * 1_000 / faults.frame) {
            let chance = Double.random(in: 0..<1, using: &generator)
            isLosing =
                isLosing && faults.run > 1
                ? chance >= 1 / faults.run
                : chance < faults.loss / (1 - faults.loss) / faults.run
            let sent = Double((index + 1) * faults.frame) * (1 + faults.skew * 1e-6)
            if Double.random(in: 0..<1, using: &generator)
                < faults.absences / 1_000 * Double(faults.frame), sent > absentUntil
            {
                absentUntil = sent + 80
            }
            guard !isLosing else { continue }
            let copies = (max(0, index - faults.redundancy)..<index).map { earlier in
                RedundantAudio.Block(
                    payloadType: VoicePayload.opus.rawValue,
                    age: UInt32(clamping: (index - earlier) * duration),
                    bytes: RulerCodec.packet(at: earlier * duration, duration: duration))
            }
            reachable.formUnion(max(0, index - faults.redundancy)...index)
            let audio = RedundantAudio(
                RulerCodec.packet(at: index * duration, duration: duration),
                payloadType: VoicePayload.opus.rawValue, copies: copies)
            let header = RTPHeader(
                payloadType: VoicePayload.redundant.rawValue, isMarked: index == 0,
                sequence: UInt16(truncatingIfNeeded: 65_000 + index),
                timestamp: origin &+ UInt32(clamping: index * duration), source: 7)
            let late =
                Double.random(in: 0..<1, using: &generator)
                * Double.random(in: 0..<1, using: &generator) * 2 * faults.jitter
            var at = sent + 1 + late
            if sent < absentUntil { at = max(at, absentUntil) }
            let packet = RTPPacket(header, payload: audio.payload)
            arrivals.append(Arrival(at: at, packet: packet))
            if Double.random(in: 0..<1, using: &generator) < faults.doubles {
                arrivals.append(Arrival(at: at + 3, packet: packet))
            }
        }
        return (arrivals.sorted { $0.at < $1.at }, reachable)
    }

    private mutating func listen(
        to arrivals: [Arrival], _ sent: Set<Int>, _ buffer: JitterBuffer,
        _ faults: SpeechFaults, seconds: Int
    ) {
        var waiting = arrivals[...]
        var sound = [Float](repeating: 0, count: 240)
        var last = -1
        var frames: Set<Int> = []
        var (silence, sawSound) = (0.0, false)
        for tick in 0..<(seconds * 200 + 40) {
            let now = Double(tick) * 5 + 3.3
            if let freeze = faults.freeze, freeze.contains(now) { continue }
            while let first = waiting.first, first.at <= now {
                waiting.removeFirst()
                // Who was not there reads everything when he is back.
                let read = faults.freeze?.contains(first.at) == true ? now : first.at
                try? buffer.put(first.packet, now: read)
            }
            sound.withUnsafeMutableBufferPointer { buffer.take(into: $0, now: now) }
            // A packet is sent when its last sample was taken; the first tick is at 3.3 ms.
            let heardAt = tick * 240 + 160 + 120
            switch Ruler.read(sound[120..<144], heardAt: heardAt) {
            case .silence: silence += sawSound ? 5 : 0
            case .blend: silence = 0
            case .said(let time):
                (silence, sawSound) = (0, true)
                frames.insert(time / (faults.frame * 48))
                delays.append(Double(heardAt - time) / 48)
                delayTicks.append(tick)
                // A period of the voice is said again at most.
                if time < last - 800 { wentBack = true }
                last = max(last, time)
            }
            longestGap = max(longestGap, silence)
        }
        heard = Double(frames.count) / Double(seconds * 1_000 / faults.frame)
        reachable = Double(sent.count) / Double(seconds * 1_000 / faults.frame)
    }

    /// The delays from a moment on, in milliseconds, in order.
    func delays(fromMillisecond moment: Int) -> [Double] {
        let first = delayTicks.firstIndex { $0 * 5 >= moment } ?? delays.count
        return Array(delays[first...])
    }

    /// The middle of the delays from the third second on, in milliseconds.
    var delay: Double {
        let known = delays(fromMillisecond: 2_000).sorted()
        return known.isEmpty ? 0 : known[known.count / 2]
    }

    /// The longest delay, in milliseconds.
    var longestDelay: Double { delays.max() ?? 0 }
}
