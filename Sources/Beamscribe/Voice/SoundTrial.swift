import BeamscribeCore
import BeamscribeIO
import BeamscribeVoice

/// What happens in a ``SoundTrial``.
public enum SoundTrialEvent: Equatable, Sendable {
    /// There is news of the devices.
    case device(DeviceNews)
    /// It listens, and hears this loud, in decibels of full scale. Told four times a second.
    case hears(Double)
    /// It plays what it has heard.
    case plays
    /// It has heard and played all, of which this was the loudest, in decibels of full scale.
    case ended(Double)
}

/// Lets somebody hear himself as others would: what his microphone hears for five seconds is coded, decoded and played.
///
/// It is not played while he speaks: a loudspeaker beside a microphone would howl.
public actor SoundTrial {
    /// What happens, until it has ended.
    public nonisolated let events = EventBuffer<SoundTrialEvent>(limit: Limits.waitingEvents)

    private nonisolated let thread: LoopThread
    private let encoder: any AudioEncoder
    private let decoder: any AudioDecoder
    private var sound: DeviceSound?
    private var meter = LevelMeter()
    private var loudest = Decibels.silence
    private var frame: [Float] = []
    private var heard: [Float] = []
    private var position = 0
    private var isPlaying = false

    /// How much is heard: 5 s.
    private static let length = 5 * OpusPacket.clock
    private static let shape = VoiceCoding.speech.shape

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    /// Makes one.
    // Two initializers, as ``Intercom`` has.
    @inline(never)
    public init() throws(IntercomError) {
        guard VoiceLibraries.areHere else { throw .notBuilt }
        guard let encoder = VoiceLibraries.encoder(for: .speech),
            let decoder = VoiceLibraries.decoder()
        else {
            throw .system("there is no memory left")
        }
        self.init(encoder, decoder, on: try IntercomError.thread())
    }

    private init(
        _ encoder: any AudioEncoder, _ decoder: any AudioDecoder, on thread: LoopThread
    ) {
        (self.encoder, self.decoder, self.thread) = (encoder, decoder, thread)
    }

    /// What belongs to the loop goes on its thread.
    isolated deinit {}

    /// Begins.
    ///
    /// - Parameters:
    ///   - microphone: its name; nil for the usual one.
    ///   - speaker: the same of the loudspeaker.
    public func begin(microphone: String?, speaker: String?) {
        _ = VoiceLibraries.hurry()
        let loop = thread.loop
        let (mouth, ear) = (SoundEnd.device(microphone), SoundEnd.device(speaker))
        let isDirect = mouth.isDirect || ear.isDirect
        let made = DeviceSound(
            DeviceSound.Choice(microphone: mouth.named, speaker: ear.named),
            on: loop,
            for: DeviceSound.Listener(
                hear: { [unowned self] samples, _ in hear(samples) },
                give: { [unowned self] in give($0) },
                happened: { [events] in events.push([.device($0)]) }),
            connect: { name, news throws(SoundServerError) in
                try VoiceLibraries.soundServer(
                    called: name, on: loop, isDirect: isDirect, news: news)
            })
        sound = made
        made.isMicrophoneWanted = true
        made.begin()
    }

    /// Ends it, whether all was heard or not.
    public func end() {
        sound?.end()
        sound = nil
        events.finish()
    }

    private func hear(_ samples: [Float]) {
        guard !isPlaying else { return }
        samples.withUnsafeBufferPointer { meter.add($0) }
        loudest = max(loudest, meter.newest)
        frame += samples
        while frame.count >= Self.shape.samples { code() }
    }

    private func code() {
        let before = heard.count
        let packet = frame.withUnsafeBufferPointer {
            encoder.encode(
                UnsafeBufferPointer(rebasing: $0[..<Self.shape.samples]),
                bitrate: Self.shape.bitrate)
        }
        frame.removeFirst(Self.shape.samples)
        if let packet { _ = decoder.decode(packet, appendingTo: &heard) }
        let quarter = OpusPacket.clock / 4
        if before / quarter != heard.count / quarter { events.offer([.hears(meter.decibels)]) }
        guard heard.count >= Self.length else { return }
        isPlaying = true
        sound?.isMicrophoneWanted = false
        events.push([.plays])
    }

    private func give(_ count: Int) -> [Float] {
        let silence = [Float](repeating: 0, count: count)
        guard isPlaying else { return silence }
        let rest = heard[min(position, heard.count)...].prefix(count)
        position += count
        // What still waits for the loudspeaker is silence.
        if position > heard.count + OpusPacket.clock / 2, sound != nil {
            events.push([.ended(loudest)])
            thread.perform { [weak self] in self?.assumeIsolated { $0.end() } }
        }
        return Array(rest) + silence.dropFirst(rest.count)
    }
}
