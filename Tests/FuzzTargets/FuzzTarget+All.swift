import BeamscribeInput

extension FuzzTarget {
    /// Every target. A new one is a property in a file of its own, a line here, and a folder of
    /// seeds in Tests/FuzzTests/Corpus.
    public static let all: [FuzzTarget] = [
        FuzzTarget(
            "frames", "a stream of bytes to the frame decoder, in any chunks", longest: 2_048,
            FrameProperties.check),
        FuzzTarget(
            "code-examiner", "a stranger at a host with a code", longest: 2_048,
            words: Words.packets, CodeExaminerProperties.check),
        FuzzTarget(
            "packets", "a frame's payload to the packet decoder", longest: 1_024,
            words: Words.packets, PacketProperties.check),
        FuzzTarget(
            "voice", "packets of voices, and what guests and hosts say of them", longest: 1_024,
            VoiceProperties.check),
        FuzzTarget(
            "text-input", "standard input as text, in any chunks", longest: 6_000,
            words: Words.text
        ) { bytes throws(BrokenProperty) in try InputProperties.check(bytes, as: .text) },
        FuzzTarget(
            "jsonl-input", "standard input as JSON lines, in any chunks", longest: 6_000,
            words: Words.captions
        ) { bytes throws(BrokenProperty) in try InputProperties.check(bytes, as: .jsonl) },
        FuzzTarget(
            "auto-input", "standard input of an unknown form, in any chunks", longest: 6_000,
            words: Words.captions + Words.text + Words.lines + Words.objects
        ) { bytes throws(BrokenProperty) in try InputProperties.check(bytes, as: .auto) },
        FuzzTarget(
            "lines-input", "standard input of a recogniser that writes lines, or a subtitle file",
            longest: 6_000, words: Words.lines
        ) { bytes throws(BrokenProperty) in
            try InputProperties.check(
                bytes, as: .whisper, .whisperStreaming, .pocketsphinx, .aprilASR, .plover, .srt,
                .vtt, .sbv)
        },
        FuzzTarget(
            "objects-input", "standard input of a recogniser that writes JSON objects",
            longest: 6_000, words: Words.objects
        ) { bytes throws(BrokenProperty) in
            try InputProperties.check(
                bytes, as: .vosk, .whisperLiveKit, .deepgram, .assemblyAI)
        },
        FuzzTarget(
            "rewritten-input", "standard input of a recogniser that rewrites what it wrote",
            longest: 6_000, words: Words.text + Words.lines
        ) { bytes throws(BrokenProperty) in
            try InputProperties.check(
                bytes, as: .whisperStream, .nerdDictation, .sherpaOnnx)
        },
        FuzzTarget(
            "safe-text", "a name from another machine, made safe to show", longest: 400,
            SafeTextProperties.check),
        FuzzTarget(
            "discovery", "announcements on the network, up to the hosts shown", longest: 1_024,
            words: Words.announcements, DiscoveryProperties.check),
        FuzzTarget(
            "guest", "a guest's session with a host that sends anything", longest: 2_048,
            words: Words.packets
        ) { bytes throws(BrokenProperty) in try GuestProperties.check(bytes, isSecure: false) },
        FuzzTarget(
            "host", "a host's session with guests that send anything", longest: 2_048,
            words: Words.packets
        ) { bytes throws(BrokenProperty) in try HostProperties.check(bytes, isSecure: false) },
        FuzzTarget(
            "secure-guest", "the same, in an established TLS connection", longest: 2_048,
            words: Words.packets
        ) { bytes throws(BrokenProperty) in try GuestProperties.check(bytes, isSecure: true) },
        FuzzTarget(
            "secure-host", "the same, in established TLS connections", longest: 2_048,
            words: Words.packets
        ) { bytes throws(BrokenProperty) in try HostProperties.check(bytes, isSecure: true) },
        FuzzTarget(
            "tls-bytes", "bytes to an end of a TLS connection, before and after its handshake",
            longest: 2_048, words: Words.tls, TLSBytesProperties.check),
        FuzzTarget(
            "tls-handshake", "a TLS connection whose records somebody changes", longest: 512,
            TLSHandshakeProperties.check),
        FuzzTarget(
            "known-hosts", "the file of the hosts' keys", longest: 2_048,
            words: Words.knownHosts, KnownHostsProperties.check),
        FuzzTarget(
            "event-code", "an event's code as it is typed", longest: 200,
            words: Words.typed, EventCodeProperties.check),
        FuzzTarget(
            "fingerprint", "a fingerprint as it is typed", longest: 300,
            words: Words.typed, FingerprintPinProperties.check),
        FuzzTarget(
            "nats", "what a NATS server answers, and what it keeps of an event", longest: 2_048,
            words: Words.packets, BackboneProperties.check),
        FuzzTarget(
            "journal", "a session's log that a crash may have torn", longest: 4_096,
            words: Words.packets, JournalProperties.check),
    ]

    /// The target of this name.
    public static func named(_ name: String) -> FuzzTarget? {
        all.first { $0.name == name }
    }
}
