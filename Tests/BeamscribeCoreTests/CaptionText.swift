import BeamscribeCore

/// Captions such as speakers, recognisers and mischief-makers produce.
enum CaptionText {
    static let words = [
        "a", "the", "captions", "are", "here", "incomprehensibilities", "x,", "well-known.",
        "https://example.org/a/very/long/path/that/does/not/break/at/all", "日本語の字幕です。", "漢字",
        "「はい」と言いました、それから帰りました。そして、また来ました。", "한국어", "e\u{301}te\u{301}", "👩‍👩‍👧‍👦",
        "👍🏽", "🇩🇪🇯🇵", "😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀", "नमस्ते", "-->", "--->", "<b>", "&amp;",
        "</v>", "{\\an8}", "42", "00:00:01,000", "WEBVTT", "NOTE", "สวัสดีครับ", "مرحبا",
        "\u{200F}שלום",
        "50\u{A0}%", "\u{A0}", "…", "ﷺ",
    ]

    static func line(
        using generator: inout SeededGenerator, upTo limit: Int = 40
    ) -> String {
        let count = Int.random(in: 0...limit, using: &generator)
        let chosen = (0..<count).map { _ in words.randomElement(using: &generator)! }
        return chosen.joined(separator: Bool.random(using: &generator) ? " " : "  ")
    }

    static func withoutBlanks(_ text: String) -> String {
        String(text.filter { !$0.isWhitespace })
    }
}
