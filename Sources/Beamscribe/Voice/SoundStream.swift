import BeamscribeCore
import BeamscribeIO
import BeamscribeVoice

/// Sound by streams in place of devices: it reads and writes raw samples at the pace of the clock, 5 ms at a time.
///
/// What comes faster waits at its writer, what comes slower is filled with silence. Before anybody hears it a file
/// waits, and what a pipe brings is left out: it would be late for ever.
///
/// Invariant: at most `most` samples wait, and what a single read has brought.
final class SoundStream {
    /// What a stream is told and asked for.
    struct Listener {
        /// Sound was heard, as much as is wanted next; nil for a stream without input.
        var exchange: (_ heard: [Float]?, _ wanted: Int) -> [Float]
        var happened: (IntercomEvent) -> Void
    }

    /// 5 ms.
    private static let step = OpusPacket.clock / 200
    private static let pause: Duration = .milliseconds(5)
    /// Input that waits here at most: 100 ms.
    private static let most = OpusPacket.clock / 10
    /// Who was not there for longer does not make up for it.
    private static let absence: Duration = .milliseconds(200)
    /// Output that waits for its reader at most: 200 ms.
    private static let outputLimit = 0.2
    private static let readSize = 4_096

    private let listener: Listener
    private let loop: EventLoop
    private let input: RawSound?
    private var source: ByteSource?
    private let hearing: (any Resampler)?
    private let giving: (any Resampler)?
    private let writer: SampleWriter?
    private var waiting: [Float] = []
    /// Whether anybody hears what comes in.
    var isHeard = false {
        didSet { settleReading() }
    }
    private let rate: Int
    /// What came before it is known whether it is the header of a WAV file; nil once it is.
    private var header: [UInt8]? = []
    /// How many bytes of sound follow in a WAV file; nil where nobody has counted them.
    private var rest: Int?
    /// Half a sample.
    private var odd: UInt8?
    private var isEnded = false
    private var hasToldEnd = false
    private var why: String?
    private var unwritten: [Float] = []
    private var isSecond = false
    private var due: Duration
    @OwnedTimer private var timer: LoopTimer?

    /// - Parameters:
    ///   - rate: of both, in samples a second.
    ///   - trouble: told on another thread.
    init(
        from input: RawSound?, to output: RawSound?, rate: Int, on loop: EventLoop,
        for listener: Listener,
        trouble: @escaping @Sendable (SampleWriter.Trouble) -> Void = { _ in }
    ) throws(SystemError) {
        (self.loop, self.listener, self.input, self.rate) = (loop, listener, input, rate)
        let needsResampling = rate != OpusPacket.clock
        hearing =
            needsResampling ? VoiceLibraries.resampler(from: rate, to: OpusPacket.clock) : nil
        giving = needsResampling ? VoiceLibraries.resampler(from: OpusPacket.clock, to: rate) : nil
        writer = try output.map { output throws(SystemError) in
            try SampleWriter(
                path: output.path, limit: 2 * Int(saturating: Double(rate) * Self.outputLimit),
                trouble: trouble)
        }
        due = loop.uptime
    }

    /// Begins.
    func begin() throws(SystemError) {
        if let input {
            source = try ByteSource(
                path: input.path, size: Self.readSize, on: loop,
                { [unowned self] in take($0) },
                ended: { [unowned self] error in
                    (isEnded, why) = (true, error?.description)
                    // Too few bytes for a header are sound.
                    if let bytes = header.take() { hear(bytes) }
                })
            settleReading()
        }
        due = loop.uptime
        goOn()
    }

    /// Ends, once what waits for its reader is written.
    func end() {
        (source, timer) = (nil, nil)
        writer?.end()
    }

    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        if let known = header { look(at: known + bytes) } else { hear(bytes) }
        settleReading()
        return bytes.count
    }

    /// Somebody may take a WAV file for raw sound.
    private func look(at bytes: [UInt8]) {
        header = bytes
        switch WaveHeader.judge(bytes, rate: rate) {
        case .tooShort: return
        case .none: hear(bytes)
        case .sound(let place, let count):
            rest = count
            hear(bytes[place...])
        case .unusable(let why): refuse(why)
        }
        header = nil
    }

    private func refuse(_ why: String) {
        (isEnded, hasToldEnd) = (true, true)
        // It is what calls this.
        timer = loop.schedule(after: .zero) { [unowned self] in
            source = nil
            listener.happened(.inputUnusable(why))
            goOn()
        }
    }

    private func hear(_ bytes: some Collection<UInt8>) {
        let bytes = bytes.prefix(rest ?? bytes.count)
        rest = rest.map { $0 - bytes.count }
        let whole = [odd].compactMap(\.self) + bytes
        odd = whole.count.isMultiple(of: 2) ? nil : whole.last
        let samples = whole.withUnsafeBytes { whole in
            (0..<whole.count / 2).map { index in
                let sample = whole.loadUnaligned(fromByteOffset: 2 * index, as: Int16.self)
                return Float(Int16(littleEndian: sample)) / 32_768
            }
        }
        if let hearing {
            samples.withUnsafeBufferPointer { hearing.resample($0, appendingTo: &waiting) }
        } else {
            waiting += samples
        }
        if !isHeard, source?.isFile == false { waiting = [] }
    }

    private func settleReading() {
        guard let source else { return }
        source.isPaused = waiting.count >= Self.most || !isHeard && source.isFile
    }

    // MARK: Time

    private func goOn() {
        due += Self.pause
        timer = loop.schedule(at: due) { [unowned self] in
            if loop.uptime - due > Self.absence { due = loop.uptime }
            step()
            goOn()
        }
    }

    private func step() {
        var heard: [Float]?
        if input != nil, isHeard, !hasToldEnd {
            let count = min(Self.step, waiting.count)
            heard = waiting[..<count] + [Float](repeating: 0, count: Self.step - count)
            waiting.removeFirst(count)
            settleReading()
        }
        write(listener.exchange(heard, Self.step))
        if isEnded, waiting.isEmpty, !hasToldEnd {
            hasToldEnd = true
            source = nil
            listener.happened(.inputEnded(why))
        }
    }

    private func write(_ samples: [Float]) {
        guard let writer else { return }
        if let giving {
            samples.withUnsafeBufferPointer { giving.resample($0, appendingTo: &unwritten) }
        } else {
            unwritten += samples
        }
        isSecond.toggle()
        guard !isSecond else { return }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(unwritten.count * 2)
        for sample in unwritten {
            let value = Int16(clamping: Int(saturating: (sample * 32_767).rounded()))
            bytes.append(UInt8(truncatingIfNeeded: value))
            bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        }
        unwritten.removeAll(keepingCapacity: true)
        if writer.write(bytes) { listener.happened(.outputBehind) }
    }
}
