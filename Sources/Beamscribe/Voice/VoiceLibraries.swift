import BeamscribeVoice

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
    ///
    /// - Parameter isRoom: whether it is a whole room, with its music.
    static func encoder(isRoom: Bool = false) -> (any AudioEncoder)? {
        #if Voice
            OpusAudioEncoder(for: isRoom ? .audio : .speech)
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
