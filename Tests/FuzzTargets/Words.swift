/// What libFuzzer's dictionaries hold: finding `"sentTimestamp"` byte by byte takes too long.
enum Words {
    static let packets =
        [
            "type", "handshake", "handshake_response", "fullHistory", "liveChunk", "alert",
            "keep_alive", "protocol", "deviceId", "displayName", "platform", "resume", "session",
            "after", "from", "history", "timestamp", "status", "accepted", "rejected", "reason",
            "message", "eventName", "deviceName", "firstSeq", "lastSeq", "keepAliveInterval",
            "echo", "received", "through", "count", "isFinal", "seq", "line", "revision", "text",
            "sentTimestamp", "speaker", "lang", "start", "end", "replaces", "kind", "ended",
            "host_disconnected", "inputAge", "applied", "full", "duplicate", "none",
        ].map { "\"\($0)\"" } + numbers + ["true", "false", "null", "\\u0000", "\\ud83d\\ude00"]

    static let captions =
        ["text", "final", "line", "speaker", "lang", "start", "end", "replaces"]
        .map { "\"\($0)\":" } + numbers + ["{\"text\":\"", "\"}\n", "\u{FEFF}", "\\u001b", "\r\n"]

    static let text = [
        "\u{1B}[2K", "\u{1B}[K", "\u{1B}[1K", "\u{1B}]0;", "\u{1B}\\", "\u{FEFF}", "\r\n", "\u{8}",
        "e\u{301}", "👩‍👧", "\u{9B}", "\u{202E}", "\u{2028}",
    ]

    static let announcements = [
        "v=1", "event=", "deviceName=", "session=", "sec=", "local", "docker0", "\u{202E}",
    ]

    private static let numbers = [
        "0", "-1", "1.5", "1e308", "1e999", "9223372036854775807", "-9223372036854775808",
        "999999999999999999", "9007199254740993",
    ]
}
