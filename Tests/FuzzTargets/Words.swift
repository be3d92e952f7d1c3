/// What libFuzzer's dictionaries hold: finding `"sentTimestamp"` byte by byte takes too long.
enum Words {
    static let packets =
        [
            "type", "handshake", "handshake_response", "fullHistory", "liveChunk", "alert",
            "keep_alive", "protocol", "deviceId", "displayName", "platform", "resume", "session",
            "after", "from", "history", "timestamp", "status", "accepted", "rejected", "reason",
            "message", "eventName", "deviceName", "firstSeq", "lastSeq", "keepAliveInterval",
            "echo", "received", "through", "count", "isFinal", "seq", "line", "revision", "text",
            "sentTimestamp", "speaker", "lang", "start", "end", "replaces", "of", "kind", "ended",
            "host_disconnected", "inputAge", "applied", "full", "duplicate", "none",
        ].map { "\"\($0)\"" } + numbers + ["true", "false", "null", "\\u0000", "\\ud83d\\ude00"]

    static let captions =
        ["text", "final", "line", "speaker", "lang", "start", "end", "replaces"]
        .map { "\"\($0)\":" } + numbers + ["{\"text\":\"", "\"}\n", "\u{FEFF}", "\\u001b", "\r\n"]

    static let text = [
        "\u{1B}[2K", "\u{1B}[K", "\u{1B}[1K", "\u{1B}]0;", "\u{1B}\\", "\u{FEFF}", "\r\n", "\u{8}",
        "e\u{301}", "👩‍👧", "\u{9B}", "\u{202E}", "\u{2028}",
    ]

    /// What the lines of recognisers and subtitles begin with, and what stands in them.
    static let lines = [
        "[00:00:01.000 --> 00:00:02.500]  ", "(speaker 1) ", "[SPEAKER_TURN]", "[BLANK_AUDIO]",
        "[Start speaking]\n", "### Transcription 0 START | t0 = 0 ms | t1 = 10 ms\n",
        "4210.3312 0 1980 ", "0 1980 ", "READY....\n", "000000001: ", "Model name: x\n", "- ", "@ ",
        "\r0:", "\r1: ", "\n\r ", "WEBVTT\n\n", "NOTE\n", "<v Ann>", "</v>", "{\\an8}", "&amp;",
        "00:00:01,000 --> 00:00:02,500\n", "0:00:01.000,0:00:03.500\n", "\n\n", "ANN: ", ">> ",
        "2026-01-05 10:00:00,123 Translation(('X',) : \"", "2026-01-05 10:00:00,123 *", "{^ing}",
        "{.}", "\")\n",
    ]

    /// Keys of the messages of recognisers.
    static let objects =
        [
            "type", "partial", "text", "result", "alternatives", "transcript", "channel", "start",
            "is_final", "speech_final", "turn_order", "end_of_turn", "lines", "new_lines",
            "n_lines", "lines_pruned", "buffer_transcription", "speaker", "words", "duration",
        ].map { "\"\($0)\":" } + numbers + [
            "\"Results\"", "\"Turn\"", "\"UtteranceEnd\"", "\"ready_to_stop\"", "\"0:00:01\"",
            "{", "}", "[", "]", ",", "true", "false", "-2", "\"a. b\"",
        ]

    static let announcements = [
        "v=1", "event=", "deviceName=", "session=", "sec=", "local", "docker0", "\u{202E}",
    ]

    /// Beginnings of records, handshake messages and extensions (RFC 8446), and what strangers
    /// begin with.
    static let tls = [
        "\u{16}\u{3}\u{1}", "\u{16}\u{3}\u{3}", "\u{14}\u{3}\u{3}\u{0}\u{1}\u{1}",
        "\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{28}", "\u{15}\u{3}\u{3}\u{0}\u{2}\u{1}\u{0}",
        "\u{17}\u{3}\u{3}", "\u{1}\u{0}\u{0}", "\u{2}\u{0}\u{0}", "\u{13}\u{1}\u{13}\u{3}",
        "\u{0}\u{2B}\u{0}\u{3}\u{2}\u{3}\u{4}", "\u{0}\u{33}", "\u{0}\u{29}", "\u{0}\u{2A}",
        "beamscribe-v1", "GET / HTTP/1.1\r\n", "CONNECT ", "SSH-2.0-", "{\"type\":\"handshake\"",
    ]

    static let knownHosts =
        [
            "version", "hosts", "addresses", "fingerprint", "firstSeen", "lastSeen", "stage",
            "192.0.2.1:23267", "\u{E9}", "e\u{301}", String(repeating: "0a", count: 32),
        ].map { "\"\($0)\"" } + numbers + ["{", "}", ":", ",", "null", "\\u00e9", "\\ud83d"]

    static let typed = [
        "\u{AD}", "\u{200B}", "\u{2060}", "\u{FEFF}", "\u{2011}", "\u{2014}", "\u{A0}", " ", "-",
        ":", "ABCDE", "12345", "QWERTY", "7K3M9QX2TA", "0123456789abcdef", "\u{FF11}", "\u{661}",
        "\u{131}", "\u{DF}", "\u{1F600}",
    ]

    private static let numbers = [
        "0", "-1", "1.5", "1e308", "1e999", "9223372036854775807", "-9223372036854775808",
        "999999999999999999", "9007199254740993",
    ]
}
