import BeamscribeCore
package import BeamscribeIO
package import BeamscribeVoice

#if Voice
    import BeamscribeSound
#endif

/// What voices need of libraries that a program may have been built without.
package enum VoiceLibraries {
    #if Voice
        /// Whether they are here.
        package static let areHere = true
    #else
        /// Whether they are here.
        package static let areHere = false
    #endif

    /// What protects the packets of a connection; nil where that cannot be had.
    ///
    /// - Parameter exported: 56 bytes.
    static func protection(_ exported: [UInt8], at side: VoiceSide) -> (any VoiceProtection)? {
        #if Voice
            PacketProtection(keys: VoiceKeys(exported: exported), side: side)
        #else
            nil
        #endif
    }

    /// What codes a talker's voice; nil where that cannot be had.
    static func encoder(for coding: VoiceCoding) -> (any AudioEncoder)? {
        #if Voice
            switch coding {
            case .speech, .safe: OpusAudioEncoder(for: .speech)
            case .lowDelay: OpusAudioEncoder(for: .lowDelay)
            case .frugal: OpusAudioEncoder(for: .speech, complexity: 0)
            case .room: OpusAudioEncoder(for: .audio)
            }
        #else
            nil
        #endif
    }

    /// What decodes a talker's voice; nil where that cannot be had.
    static func decoder() -> (any AudioDecoder)? {
        #if Voice
            OpusAudioDecoder()
        #else
            nil
        #endif
    }

    /// Coded audio as a stream for browsers; nil where that cannot be had.
    static func container() -> (any AudioContainer)? {
        #if Voice
            OggOpusStream(serial: .random(in: .min ... .max))
        #else
            nil
        #endif
    }

    /// What makes a microphone's sound a voice alone; nil where that cannot be had.
    static func cleaner(_ cleaning: VoiceCleaning) -> VoiceCleaner? {
        #if Voice
            func processor(noise: Bool = false, gain: Bool = false) -> WebRTCProcessor? {
                var part = cleaning
                (part.reducesNoise, part.controlsGain) = (noise, gain)
                return WebRTCProcessor(part)
            }
            guard let canceller = processor() else { return nil }
            canceller.cancelsEcho = true
            return VoiceCleaner(
                canceller: canceller,
                denoiser: cleaning.reducesNoise ? processor(noise: true) : nil,
                leveller: cleaning.controlsGain ? processor(gain: true) : nil)
        #else
            nil
        #endif
    }

    /// The number of an input device's key, by the kernel's name for it; nil where there is none of that name.
    package static func keyCode(_ name: String) -> UInt16? {
        #if Voice
            KeyName.code(name)
        #else
            nil
        #endif
    }

    /// Lets the calling thread go before all others that are not in a hurry: by its own right, or by RealtimeKit.
    ///
    /// - Returns: whether the system allows that.
    package static func hurry() -> Bool {
        if ThreadPriority.hurry() { return true }
        #if Voice
            return ThreadPriority.prepareToHurry().map {
                RealtimeKit.hurry(thread: $0.thread, priority: $0.priority)
            } ?? false
        #else
            return false
        #endif
    }

    /// Where sound devices are had: PipeWire, or else ALSA.
    ///
    /// - Parameters:
    ///   - name: the one that it is to be; nil for any.
    ///   - period: how many samples a device is to give or take at once.
    ///   - isDirect: whether PipeWire is passed over.
    ///   - news: told on the loop.
    package static func soundServer(
        called name: String? = nil, period: Int = VoiceCoding.speech.period, on loop: EventLoop,
        isDirect: Bool = false, news: @escaping (SoundServerNews) -> Void
    ) throws(SoundServerError) -> any SoundServer {
        #if Voice
            if name == PipeWireServer.title {
                return try PipeWireServer(period: period, on: loop, news: news)
            }
            let passesOver = isDirect || name == ALSAServer.title
            // ALSA says itself why it has none.
            let server =
                passesOver ? nil : try? PipeWireServer(period: period, on: loop, news: news)
            return server ?? ALSAServer(period: period, on: loop, news: news)
        #else
            throw SoundServerError("this beamscribe was built without voices")
        #endif
    }

    /// Sound of one rate as sound of another; nil where that cannot be had.
    ///
    /// - Parameters:
    ///   - rate: of what goes in, in samples a second.
    ///   - wanted: of what comes out.
    static func resampler(from rate: Int, to wanted: Int) -> (any Resampler)? {
        #if Voice
            SpeexResampler(from: rate, to: wanted)
        #else
            nil
        #endif
    }
}
