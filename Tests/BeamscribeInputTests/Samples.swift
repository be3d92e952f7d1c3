/// Input as recognisers, people and broken programs write it.
enum Samples {
    private static let pad = String(repeating: " ", count: 100)

    static let whisperStream =
        "[Start speaking]\n" + redraw(" Good mor") + redraw(" Good morning every")
        + redraw(" Good morning everyone.") + "\n" + redraw(" Second") + "\n"

    static func redraw(_ text: String) -> String {
        "\u{1B}[2K\r" + pad + "\u{1B}[2K\r" + text
    }

    static let text: [String] = [
        "", "\n", "   \n\t\n", "one\ntwo\nthree\n", "no newline", "one\r\ntwo\r\n", "a\rb\rc\r\n",
        "  indented   \n\n", whisperStream,
        "\n[00:00:00.000 --> 00:00:02.000]   Good morning.\n[00:00:02.000 --> 00:00:04.500]  B\n",
        "\r0: good\r0: good mor\r0: good morning\n\r1: next\n",
        "\u{1B}[2K\r\u{1B}[1A\r0:text\u{1B}[2K\r0:text more\n",
        "helo\u{8}lo wor\u{7F}rld\n", "\u{8}\u{8}x\r\u{8}y\n", "\u{0}a\u{0}b\u{0}\n",
        "\u{FEFF}first\n\u{FEFF}second\n", "\u{FEFF}", "\n\u{FEFF}x\n",
        "\u{1B}[1;32mgreen\u{1B}[0m and plain\n", "\u{1B}]0;title\u{7}text\n",
        "\u{1B}]8;;http://x\u{1B}\\link\u{1B}]8;;\u{1B}\\\n", "\u{1B}]never ends\nnext\n",
        "\u{1B}[999\nafter\n", "\u{1B}(Btext\u{1B}c\u{1B}\u{1B}[Kmore\u{1B}\n",
        "\u{1B}[" + String(repeating: "1;", count: 100) + "m\n",
        "\u{1B}]" + String(repeating: "x", count: 5_000) + "\n",
        "text\r\u{1B}[Knew\n", "text\u{1B}[K\n", "text\u{1B}[1Knew\n", "gone\u{1B}[2K\n",
        "Größe 敏捷 👩‍👩‍👧‍👦 e\u{301}\u{8}x 🇩🇪🇫🇷\u{8}\n", "C1 \u{9B}31m \u{85} \u{2028}|\u{202E}rtl\n",
        "敏捷的棕色狐狸\n跳过了\u{3000}\u{3000}\n\u{A0}\n", "a\tb\u{B}c\u{C}d\n", "x\r\r\ny\n\ry\n",
    ]

    static let long: [String] = [
        String(repeating: "word ", count: 2_000) + "\nnext\n",
        String(repeating: "x", count: 4_096) + "\n", String(repeating: "x", count: 4_097) + "\n",
        String(repeating: "x", count: 4_096) + "   y\n", String(repeating: "é", count: 5_000),
        String(repeating: " ", count: 4_200) + "end\n",
        "a" + String(repeating: "🇩🇪", count: 1_500) + "\n",
        "abc" + String(repeating: "👩‍👩‍👧‍👦", count: 400) + "\n",
        "e" + String(repeating: "\u{301}", count: 5_000) + "\n",
        String(repeating: "x", count: 3_000) + "  " + String(repeating: "y", count: 3_000)
            + "\rz\n",
    ]

    static let broken: [[UInt8]] = [
        [0xFF, 0xFE, 0x0A], [0xC3, 0x0A], [0x61, 0xE2, 0x82], [0xE2, 0x82, 0x1B, 0x5B, 0x6D, 0xAC],
        [0xF0, 0x9F, 0x00, 0x98, 0x80, 0x0A], [0xED, 0xA0, 0x80, 0x0A], [0xC0, 0xAF, 0x61],
        [0xF4, 0x90, 0x80, 0x80, 0x0A], [0xEF, 0xBB], [0xEF, 0xBB, 0x0A, 0xBF, 0x0A],
        [0xE2, 0x82, 0x08, 0x62, 0x0A], [UInt8](repeating: 0xFF, count: 5_000) + [0x0A],
    ]

    static let jsonl: [String] = [
        #"{"text":"Good morning"}"# + "\n" + #"{"text":"last"}"#,
        #"{"text":"a","final":false,"line":1}"# + "\n" + #"{"text":"ab","line":1}"# + "\n",
        #"{"text":"a","speaker":"Ann","lang":"en","start":1.5,"end":2,"replaces":3}"# + "\r\n",
        "\u{FEFF}" + #"{"text":"x","line":"l-1","other":[1,{"a":null}]}"# + "\n\n   \n",
        "nonsense\n{\"text\":3}\n[]\n{}\n{\"text\":\"ok\"}\n{\"text\":\"\"}\n{\"text\":\"cut",
        #"{"text":"\u001b[31mred\u0007\n\u202etab\tdone","speaker":"\u0000"}"# + "\n",
        #"{"text":""# + String(repeating: "long ", count: 2_000) + "\",\"replaces\":9}\n",
    ]
}
