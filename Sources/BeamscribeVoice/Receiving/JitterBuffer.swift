public import BeamscribeCore

/// What one talker says, in order and at an even pace, of packets that come late, twice, in another order or
/// not at all.
///
///     idle --first packet--> waiting --target delay--> playing --nothing for 200 ms, or the talk's end--> idle
///
/// Packets are kept by their timestamps. Sound is asked for when a device wants it, and only then is as much
/// decoded as is wanted: a copy that comes until that moment is in time. What is missing while something newer
/// is there is lost, and is guessed by the decoder; what is missing while nothing newer is there may yet come:
/// the guess bridges the time without moving on, and where it turns out to be lost stands for it.
///
/// The delay is brought towards ``DelayEstimate``'s target by leaving out or repeating single periods of the
/// voice, which absorbs clocks that differ, too.
///
/// It has no clock: all moments are given, in milliseconds by the listener's.
///
/// Invariant: `pieces` are in the order of their times, without doubles, and none is before `next`.
public final class JitterBuffer {
    /// A piece of what is said, coded.
    private struct Piece {
        var time: Int64
        var duration: Int
        var bytes: [UInt8]
        var isCopy: Bool
        var isMarked: Bool
    }
    private enum State {
        case idle
        /// The first of a talk is here; silence until it is time.
        case waiting
        case playing
    }

    private static let samplesPerMillisecond = Double(OpusPacket.clock) / 1_000
    /// After so much of guessing it is faded, in samples: 60 ms.
    private static let fadesAfter = 2_880
    /// After so much of guessing there is silence, in samples: 200 ms.
    private static let silentAfter = 9_600
    /// A listener who has not asked for sound for so long was not there, in milliseconds.
    private static let absence = 300.0
    /// Pace is mended at most so often, in milliseconds.
    private static let mending = 30.0
    /// By how much what is heard may be too late, in milliseconds.
    private static let patience = 4.0

    private let decoder: any AudioDecoder
    private let mostDelay: Double
    private let fixedDelay: Double?
    private var state = State.idle
    private var pieces: [Piece] = []
    /// The time of what is decoded next. Nothing before it is wanted.
    private var next: Int64?
    /// The time by which others are put in order: that of the newest that came.
    private var newest: Int64?
    private var end: Int64?
    private var estimate = DelayEstimate()
    private var counter = ReceptionCounter()
    private var samples = PlayoutSamples()
    /// The length of the last piece, in samples: what a missing one is taken to be.
    private var frame = 480
    /// How much was guessed since the last piece, in samples.
    private var guessed = 0
    /// How much of that was bridged without moving on.
    private var bridged = 0
    /// The share of packets that are lost, the newest hundred counting most.
    private var losses = 0.0
    private var redundancy = 0
    private var lastSequence: UInt16?
    private var lastTake: Double?
    private var lastMend = 0.0
    /// How much is asked for at once, about, in milliseconds.
    private var portion = 0.0
    private var level = 0.0
    private var figures = ListeningFigures()

    /// An empty one.
    ///
    /// - Parameters:
    ///   - decoder: the talker's own.
    ///   - mostDelay: beyond which speech is skipped, in milliseconds.
    ///   - fixedDelay: a target that is not estimated, in milliseconds.
    public init(
        decoder: any AudioDecoder, mostDelay: Double = Limits.mouthToEar - Limits.outsidePlayout,
        fixedDelay: Double? = nil
    ) {
        self.decoder = decoder
        self.mostDelay = mostDelay
        self.fixedDelay = fixedDelay
    }

    /// How he is heard.
    public var currentFigures: ListeningFigures {
        var figures = figures
        (figures.delay, figures.target) = (level, target)
        return figures
    }

    /// Whether anything is to be heard now.
    public var isPlaying: Bool { state == .playing }

    /// What is told of his packets to who forwards them.
    public func report(of source: UInt32) -> RTCPPacket.Report {
        counter.report(of: source)
    }

    /// How much the times of his packets vary, in milliseconds (RFC 3550, section 6.4.1).
    public var jitter: Double { counter.jitter / Self.samplesPerMillisecond }

    /// Packets that did not arrive.
    public var lost: Int { max(0, counter.lost) }

    /// Packets that should have arrived.
    public var expected: Int { counter.expected }

    /// Which of them came since this was asked last.
    public func losses(of source: UInt32) -> LossMap? { counter.losses(of: source) }

    // MARK: Packets

    /// A packet came.
    ///
    /// - Parameter now: its arrival.
    /// - Throws: what is wrong with it. After a leap it is taken all the same, as the first of another talk.
    public func put(_ packet: RTPPacket, now: Double) throws(PacketFault) {
        let coded = try pieces(of: packet)
        guard !isAbsent(now: now) else { return }
        var time = extended(packet.header.timestamp)
        var fault: PacketFault?
        let transit = now * Self.samplesPerMillisecond - Double(time)
        if !counter.arrived(sequence: packet.header.sequence, transit: transit) {
            fault = .leap
        } else if !packet.header.isMarked, let newest,
            abs(time - newest) > Int64(Limits.timestampLeap)
        {
            fault = .leap
        }
        if fault != nil {
            beginAnew()
            time = extended(packet.header.timestamp)
            _ = counter.arrived(sequence: packet.header.sequence, transit: nil)
        }
        if state == .idle || packet.header.isMarked {
            begin(now: now, isWaiting: state == .idle)
        }
        count(packet.header.sequence)
        estimate.arrived(
            transit: now - Double(time) / Self.samplesPerMillisecond, now: now)
        newest = max(newest ?? time, time)
        redundancy = coded.count - 1
        for piece in coded {
            keep(
                Piece(
                    time: time - Int64(piece.age), duration: piece.duration, bytes: piece.bytes,
                    isCopy: piece.age > 0, isMarked: packet.header.isMarked && piece.age == 0))
        }
        if let fault { throw fault }
    }

    /// He has said that his talk ends.
    ///
    /// - Parameter timestamp: of its last packet.
    public func endTalk(at timestamp: UInt32) {
        guard newest != nil else { return }
        end = extended(timestamp)
    }

    private typealias Coded = (age: UInt32, duration: Int, bytes: [UInt8])

    private func pieces(of packet: RTPPacket) throws(PacketFault) -> [Coded] {
        switch packet.header.payloadType {
        case VoicePayload.opus.rawValue:
            guard let duration = OpusPacket.duration(of: packet.payload) else { throw .audio }
            return [(0, duration, packet.payload)]
        case VoicePayload.redundant.rawValue:
            let audio = try RedundantAudio(parsing: packet.payload)
            var coded: [Coded] = []
            for block in audio.blocks where !block.bytes.isEmpty {
                guard block.payloadType == VoicePayload.opus.rawValue else { throw .payloadType }
                guard let duration = OpusPacket.duration(of: block.bytes) else { throw .audio }
                coded.append((block.age, duration, block.bytes))
            }
            guard coded.last?.age == 0 else { throw .audio }
            return coded
        default: throw .payloadType
        }
    }

    /// A timestamp as a moment that does not go round, near the newest.
    private func extended(_ timestamp: UInt32) -> Int64 {
        guard let newest else { return Int64(timestamp) }
        let ahead = Int32(bitPattern: timestamp &- UInt32(truncatingIfNeeded: newest))
        return newest + Int64(ahead)
    }

    private func keep(_ piece: Piece) {
        if let next, piece.time < next {
            if !piece.isCopy { figures.late += 1 }
            return
        }
        var index = pieces.count
        while index > 0, pieces[index - 1].time > piece.time { index -= 1 }
        if index > 0, pieces[index - 1].time == piece.time {
            if !piece.isCopy, !pieces[index - 1].isCopy { figures.duplicates += 1 }
            if !piece.isCopy { pieces[index - 1] = piece }
        } else if pieces.count < Limits.waitingPackets {
            pieces.insert(piece, at: index)
        }
        if !piece.isCopy { figures.packets += 1 }
    }

    private func count(_ sequence: UInt16) {
        if let lastSequence {
            let ahead = Int(Int16(bitPattern: sequence &- lastSequence))
            guard ahead > 0 else { return }
            for _ in 1..<max(2, min(ahead, 50)) where ahead > 1 { losses += (1 - losses) * 0.01 }
            losses *= 0.99
        }
        lastSequence = sequence
    }

    // MARK: Talks

    private func begin(now: Double, isWaiting: Bool) {
        estimate.beginTalk(now: now)
        if isWaiting { state = .waiting }
    }

    /// What came so far has nothing to do with what comes.
    private func beginAnew() {
        (state, pieces, next, newest, end) = (.idle, [], nil, nil, nil)
        (lastSequence, guessed, bridged) = (nil, 0, 0)
        samples.clear()
        counter.reset()
        estimate.forgetArrivals()
        decoder.reset()
    }

    /// Whether nobody has asked for sound for so long that what has come meanwhile is of no use.
    private func isAbsent(now: Double) -> Bool {
        lastTake.map { now - $0 > Self.absence } ?? false
    }

    private func comeBack() {
        if let last = pieces.last { next = last.time + Int64(last.duration) }
        (state, pieces, guessed, bridged) = (.idle, [], 0, 0)
        samples.clear()
        estimate.forgetArrivals()
    }

    /// The first of a talk is heard once it is as old as what follows may become: to the sample, with silence before it.
    private func startIfDue(within count: Int, now: Double) {
        guard let first = pieces.first, let delay = delay(of: first.time, now: now) else { return }
        let early = Int(saturating: (target - delay) * Self.samplesPerMillisecond)
        guard early < count else { return }
        if let end, end < first.time { self.end = nil }
        (state, next, level) = (.playing, first.time, max(delay, target))
        (guessed, bridged) = (0, 0)
        decoder.reset()
        samples.append { $0.append(contentsOf: repeatElement(0, count: max(0, early))) }
    }

    // MARK: Sound

    /// Gives what is to be heard next: speech, or silence.
    ///
    /// - Parameters:
    ///   - buffer: as long as is wanted at once; the less, the later it may be decided what is in it.
    ///   - now: when it is asked for.
    public func take(into buffer: UnsafeMutableBufferPointer<Float>, now: Double) {
        if isAbsent(now: now) { comeBack() }
        lastTake = now
        follow(portion: Double(buffer.count) / Self.samplesPerMillisecond)
        if state == .waiting { startIfDue(within: buffer.count, now: now) }
        guard state == .playing else { return buffer.update(repeating: 0) }
        followLevel(samples: buffer.count, now: now)
        while samples.count < buffer.count, state == .playing { decodeNext() }
        if state == .playing { mend(leaving: buffer.count, now: now) }
        let missing = buffer.count - samples.count
        if missing > 0 {
            samples.append { $0.append(contentsOf: repeatElement(0, count: missing)) }
        }
        samples.take(into: buffer)
        figures.heard += buffer.count - max(0, missing)
    }

    /// How long after the fastest packet a moment is heard, in milliseconds.
    private func delay(of time: Int64, now: Double) -> Double? {
        estimate.least.map { now - $0 - Double(time) / Self.samplesPerMillisecond }
    }

    private var frameLength: Double { Double(frame) / Self.samplesPerMillisecond }

    private var target: Double {
        if let fixedDelay { return fixedDelay }
        // What repairs a loss comes with later packets: it is waited for where there are losses.
        let repair = losses > 0.01 ? Double(redundancy) * frameLength : 0
        // What is asked for at once has to be there as a whole.
        return min(estimate.target + repair + portion, Limits.longestPlayoutDelay)
    }

    /// A device that asks late asks for more, once.
    private func follow(portion asked: Double) {
        portion = portion == 0 ? asked : portion + (asked - portion) / 16
    }

    private func followLevel(samples count: Int, now: Double) {
        guard let next, let delay = delay(of: next - Int64(samples.count), now: now) else { return }
        level += (delay - level) * min(1, Double(count) / 4_800)
        if delay > mostDelay { skip(to: delay - target) }
    }

    /// Leaves out what would be heard too late, if there is something newer.
    ///
    /// - Parameter excess: how much there is of it, in milliseconds.
    private func skip(to excess: Double) {
        guard let next else { return }
        let goal =
            next - Int64(samples.count) + Int64(saturating: excess * Self.samplesPerMillisecond)
        guard let index = pieces.firstIndex(where: { $0.time + Int64($0.duration) > goal })
        else { return }
        pieces.removeFirst(index)
        self.next = pieces[0].time
        samples.clearWaiting()
        (guessed, bridged) = (0, 0)
        level = target
        figures.behind += 1
    }

    private func decodeNext() {
        guard let next else { return state = .idle }
        guard let first = pieces.first else { return bridge(next) }
        let gap = Int(first.time - next)
        if gap <= 0 {
            pieces.removeFirst()
            if gap == 0 { decode(first) }
        } else if first.isMarked || gap > Self.silentAfter {
            // Nothing is missing here: another talk begins.
            state = .waiting
        } else if bridged > 0 {
            // It was lost after all: what was bridged stands for it.
            self.next = next + Int64(min(bridged, gap))
            bridged = 0
        } else {
            let length = min(frame, gap)
            guess(length)
            self.next = next + Int64(length)
        }
    }

    private func decode(_ piece: Piece) {
        var isDecoded = false
        samples.append { isDecoded = decoder.decode(piece.bytes, appendingTo: &$0) }
        (frame, guessed, bridged) = (piece.duration, 0, 0)
        if !isDecoded {
            figures.undecodable += 1
            guess(piece.duration)
        } else if piece.isCopy {
            figures.recovered += 1
        }
        next = piece.time + Int64(piece.duration)
    }

    /// Nothing newer is there: it may be late, lost, or not said.
    private func bridge(_ next: Int64) {
        if let end {
            guard next <= end else { return state = .idle }
            guess(frame)
            self.next = next + Int64(frame)
        } else if guessed >= Self.silentAfter {
            state = .idle
        } else {
            guess(frame)
            bridged += frame
        }
    }

    private func guess(_ count: Int) {
        // Decoders guess in steps of 2.5 ms.
        let count = (count + 119) / 120 * 120
        samples.append { decoder.conceal(count, appendingTo: &$0) }
        samples.fadeLast(count, from: Self.gain(guessed), to: Self.gain(guessed + count))
        guessed += count
        figures.concealed += count
    }

    private static func gain(_ guessed: Int) -> Float {
        let faded = Float(guessed - fadesAfter) / Float(silentAfter - fadesAfter)
        return 1 - min(max(0, faded), 1)
    }

    /// Brings the delay towards the target by a period of the voice.
    private func mend(leaving count: Int, now: Double) {
        guard now - lastMend >= Self.mending else { return }
        let excess = level - target
        let change: Int
        if excess > Self.patience {
            change = -shorten(by: excess, leaving: count)
        } else if excess < -max(2, frameLength * 0.25) {
            change = samples.lengthen(likeness: excess < -40 ? -1 : 0.8) ?? 0
            figures.lengthened += change > 0 ? 1 : 0
        } else {
            return
        }
        guard change != 0 else { return }
        level += Double(change) / Self.samplesPerMillisecond
        lastMend = now
    }

    /// Far behind any cut is better than none. What is a little too late is left out where that is not heard: in pauses.
    private func shorten(by excess: Double, leaving count: Int) -> Int {
        let isLittle = excess <= max(8, frameLength * 0.75)
        guard !isLittle || samples.isQuiet else { return 0 }
        while samples.count < 1_200, let next, pieces.first?.time == next { decodeNext() }
        let most =
            isLittle
            ? Int(saturating: (excess - 1) * Self.samplesPerMillisecond) : PitchMatch.longest
        let length =
            samples.shorten(likeness: excess > 60 ? -1 : 0.85, leaving: count, most: most) ?? 0
        figures.shortened += length > 0 ? 1 : 0
        return length
    }
}
