import BeamscribeCore

/// Text such as speakers, recognisers and mischief-makers produce.
enum RandomText {
    static let words = [
        "a", "the", "captions", "are", "here", "incomprehensibilities", "x,", "well-known.",
        "https://example.org/a/very/long/path/that/does/not/break", "日本語の字幕です。", "漢字", "「はい」",
        "한국어", "e\u{301}te\u{301}", "Zu\u{308}rich", "👩‍👩‍👧‍👦", "👍🏽", "🇩🇪🇯🇵", "❤️", "1️⃣", "😀😀", "नमस्ते",
        "***", "***fake", "…", "สวัสดี", "مرحبا", "\u{1100}\u{1161}\u{11A8}",
    ]

    static func line(using generator: inout SeededGenerator) -> String {
        let count = Int.random(in: 0...12, using: &generator)
        let chosen = (0..<count).map { _ in words.randomElement(using: &generator)! }
        return chosen.joined(separator: Bool.random(using: &generator) ? " " : "  ")
    }
}
