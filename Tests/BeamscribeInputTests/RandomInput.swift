import BeamscribeCore

/// Input that nobody would write, out of the pieces that matter to the parsers.
enum RandomInput {
    private static let pieces: [[UInt8]] =
        [
            "a", "word ", "\n", "\n", "\r", "\r\n", "\t", "\u{8}", "\u{7F}", "\u{0}", "\u{1B}", "[",
            "\u{1B}[2K", "\u{1B}[K", "\u{1B}[1K", "\u{1B}[1A", "\u{1B}]", "\u{7}", "\\", "é", "敏",
            "👩‍👧",
            "🇩🇪", "\u{301}", "\u{FEFF}", "\u{9B}", "\u{202E}", "   ", "{", "\"text\":", "}", "12;",
            "{\"text\":\"a\"}\n", "{\"text\":\"a\",\"final\":false,\"line\":1}\n",
        ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0xE2, 0x82], [0xF0, 0x9F], [0x80]]

    static func text(pieces count: Int, using random: inout SeededGenerator) -> [UInt8] {
        (0..<count).flatMap { _ in pieces.randomElement(using: &random)! }
    }

    static func bytes(_ count: Int, using random: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    /// `bytes` with a few of them changed, lost, or put in a second time somewhere else.
    static func damaged(_ bytes: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
        var damaged = bytes
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let place = Int.random(in: 0..<damaged.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: damaged[place] = UInt8.random(in: 0...255, using: &random)
            case 1: damaged.removeSubrange(place..<min(damaged.count, place + 20))
            case 2: damaged.insert(contentsOf: pieces.randomElement(using: &random)!, at: place)
            default:
                let from = Int.random(in: 0..<bytes.count, using: &random)
                damaged.insert(contentsOf: bytes[from..<min(bytes.count, from + 40)], at: place)
            }
            if damaged.isEmpty { return bytes }
        }
        return damaged
    }
}
