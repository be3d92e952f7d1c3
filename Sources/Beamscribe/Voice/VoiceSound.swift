import BeamscribeIO
import BeamscribeVoice

/// All the sound of one guest: what it says comes from a stream or a microphone, what it hears goes to a stream or a
/// loudspeaker.
final class VoiceSound {
    /// Which, and who hears and is heard.
    struct Listener {
        /// This was heard, and before it samples were lost.
        var hear: (_ samples: [Float], _ dropped: Int) -> Void
        /// What is to be said next.
        var give: (_ count: Int) -> [Float]
        /// Something happened; an event of a device, an input's end.
        var happened: (IntercomEvent) -> Void
        /// The same, on another thread.
        var trouble: @Sendable (SampleWriter.Trouble) -> Void = { _ in }
    }

    /// What waits for a loudspeaker besides where the system lets others go before this thread: 10 ms.
    private static let margin = OpusPacket.clock / 100

    private let stream: SoundStream?
    private let devices: DeviceSound?

    /// - Parameters:
    ///   - rate: of raw samples, a second.
    ///   - period: how many samples a device is to give or take at once.
    ///   - isInTime: whether this thread goes before all others.
    init(
        from input: SoundEnd?, to output: SoundEnd?, rate: Int,
        period: Int = VoiceCoding.speech.period, isInTime: Bool, on loop: EventLoop,
        for listener: Listener
    ) throws(SystemError) {
        let (hasMicrophone, hasSpeaker) = (input?.isDevice == true, output?.isDevice == true)
        // Without a loudspeaker it is the clock that takes what is heard, so that it does not wait for ever.
        stream =
            input?.raw == nil && hasSpeaker
            ? nil
            : try SoundStream(
                from: input?.raw, to: output?.raw, rate: rate, on: loop,
                for: SoundStream.Listener(
                    exchange: { heard, wanted in
                        if let heard { listener.hear(heard, 0) }
                        return hasSpeaker ? [] : listener.give(wanted)
                    },
                    happened: listener.happened),
                trouble: listener.trouble)
        guard hasMicrophone || hasSpeaker else {
            devices = nil
            return
        }
        let isDirect = input?.isDirect == true || output?.isDirect == true
        devices = DeviceSound(
            DeviceSound.Choice(
                microphone: hasMicrophone ? input?.named : nil,
                speaker: hasSpeaker ? output?.named : nil,
                margin: isInTime ? 0 : Self.margin),
            on: loop,
            for: DeviceSound.Listener(
                hear: listener.hear, give: listener.give,
                happened: { listener.happened(.device($0)) }),
            connect: { name, news throws(SoundServerError) in
                try VoiceLibraries.soundServer(
                    called: name, period: period, on: loop, isDirect: isDirect, news: news)
            })
    }

    /// Begins.
    func begin() throws(SystemError) {
        try stream?.begin()
        devices?.begin()
    }

    /// Says what it is there for.
    ///
    /// - Parameters:
    ///   - isHere: whether others are there to hear it.
    ///   - isTalkWanted: whether it is to be heard.
    func settle(isHere: Bool, isTalkWanted: Bool) {
        if let stream, stream.isHeard != isHere { stream.isHeard = isHere }
        devices?.isMicrophoneWanted = isHere && isTalkWanted
    }

    /// The devices to choose from.
    var choices: [DeviceChoice] { devices?.devices ?? [] }

    /// Uses another device of its kind.
    func choose(_ device: SoundDevice) { devices?.choose(device) }

    /// Ends: what waits for a reader is written, and nothing is open any more.
    func end() {
        stream?.end()
        devices?.end()
    }
}
