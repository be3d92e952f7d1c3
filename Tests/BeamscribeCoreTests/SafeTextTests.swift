import BeamscribeCore
import Testing

@Suite struct SafeTextTests {
    @Test(arguments: [
        ("a\u{1B}[2Jb\u{7}c\u{9B}1md", "a␛[2Jb␇c<U+009B>1md"),
        ("\u{0}\u{8}\u{1F}\u{7F}\u{80}\u{9F}", "␀␈␟␡<U+0080><U+009F>"),
        ("a\tb\nc\r\nd\u{85}e\u{2028}f\u{2029}g", "a b c  d e f g"),
        ("abc\u{202E}def\u{2066}", "abc<U+202E>def<U+2066>"),
        ("\u{202E}abc\u{202C}", "<U+202E>abc<U+202C>"),
        ("a\u{202C}b\u{2069}", "a<U+202C>b<U+2069>"),
        ("\u{2067}a\u{202C}", "<U+2067>a<U+202C>"),
        ("\u{202B}a\u{2069}", "<U+202B>a<U+2069>"),
        ("\u{202A}\u{202D}a\u{202C}b\u{202C}", "\u{202A}<U+202D>a<U+202C>b\u{202C}"),
        ("\u{2068}\u{202A}a\u{2069}", "\u{2068}<U+202A>a\u{2069}"),
        ("\u{202A}\u{2066}\u{202C}\u{2069}\u{202C}", "\u{202A}\u{2066}<U+202C>\u{2069}\u{202C}"),
        ("\u{202A}\u{2066}\u{202C}", "<U+202A><U+2066><U+202C>"),
    ])
    func line_showsWhatWouldAct(text: String, line: String) {
        #expect(same(SafeText.line(text), line), "\(SafeText.line(text).debugDescription)")
        #expect(same(SafeText.line(line), line))
        #expect(SafeText.isSafe(line))
        #expect(!SafeText.isSafe(text))
    }

    @Test(arguments: [
        "", "Grüße, 字幕 👩‍👩‍👧 é – naïve", "“quoted” … \u{2027}\u{202F}\u{2065}\u{206A}",
        "said \u{2067}שלום\u{2069}, twice", "\u{202B}مرحبا \u{202A}ok\u{202C}\u{202C}",
        "\u{2068}\u{202B}a\u{202C}\u{2066}\u{2069}\u{2069}", "\u{200F}א\u{200E}",
    ])
    func line_keepsWhatIsWellFormed(text: String) {
        #expect(same(SafeText.line(text), text))
        #expect(SafeText.isSafe(text))
    }

    @Test(arguments: [125, 126, 5_000])
    func line_keepsAsManyLevels_asReadersFollow(_ depth: Int) {
        let text =
            String(repeating: "\u{2067}", count: depth) + "x"
            + String(repeating: "\u{2069}", count: depth)
        let line = SafeText.line(text)
        #expect(same(line, text) == (depth <= 125))
        #expect(line.unicodeScalars.count { $0 == "\u{2067}" } == min(depth, 125))
        #expect(same(SafeText.line(line), line))
    }

    /// Against a plain list of rules, on text in which what matters is common.
    @Test func line_isAsTheRulesSay_whateverCameIn() {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<4_000 {
            let text = hostileText(&generator)
            let line = SafeText.line(text)
            let holds =
                isHarmless(line) && same(SafeText.line(line), line)
                && SafeText.isSafe(text) == same(text, line)
                && isHarmless(text) == same(text, line)
            if !holds { Issue.record("\(text.debugDescription) becomes \(line.debugDescription)") }
        }
    }

    @Test func line_isSafe_whateverBytesCameIn() {
        var generator = SeededGenerator(seed: 6)
        for _ in 0..<2_000 {
            let line = SafeText.line(
                String(decoding: randomBytes(0...40, &generator), as: UTF8.self))
            if !isHarmless(line) { Issue.record("\(line.debugDescription)") }
        }
    }

    @Test func label_fitsAndIsSafe_whereverItIsCut() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<3_000 {
            let text = hostileText(&generator)
            let limit = Int.random(in: 0...40, using: &generator)
            let label = SafeText.label(text, bytes: limit)
            let line = SafeText.line(text)
            let holds =
                label.utf8.count <= limit && isHarmless(label)
                && same(SafeText.label(label, bytes: limit), label)
                && (line.utf8.count > limit || same(label, line))
            if !holds { Issue.record("\(text.debugDescription) cut to \(limit): \(label)") }
        }
    }

    @Test(arguments: [
        ("\u{200E}Hall", "<U+200E>Hall"), ("Ha\u{200B}ll", "Ha<U+200B>ll"),
        ("Hall\u{200F}\u{061C}", "Hall<U+200F><U+061C>"), ("H\u{200D}all", "H<U+200D>all"),
        ("Ha\u{00AD}ll\u{2060}\u{FEFF}", "Ha<U+00AD>ll<U+2060><U+FEFF>"),
        ("\u{115F}\u{1160}\u{3164}\u{FFA0}", "<U+115F><U+1160><U+3164><U+FFA0>"),
        ("a\u{034F}b\u{FE0F}\u{E0041}", "a<U+034F>b<U+FE0F><U+E0041>"),
        ("\u{2066}Hall\u{2069}", "<U+2066>Hall<U+2069>"), ("Hall\u{FFF9}", "Hall<U+FFF9>"),
        ("🎤\u{FE0F}\u{FE0F}", "🎤\u{FE0F}<U+FE0F>"), ("🎤\u{200D}", "🎤<U+200D>"),
        ("می\u{200C}\u{200C}خواهم", "می<U+200C><U+200C>خواهم"),
    ])
    func name_showsWhatIsDrawnAsNothing(text: String, name: String) {
        #expect(same(SafeText.name(text, bytes: 255), name))
        #expect(same(SafeText.name(name, bytes: 255), name))
    }

    @Test(arguments: [
        "Town Hall", "Zürich", "👩‍👩‍👧‍👦 🎤", "❤️ 1️⃣", "می\u{200C}خواهم", "ক্\u{200D}ষ", "מליאה", "字幕", "👍🏽",
    ])
    func name_stays_whereWritingNeedsIt(name: String) {
        #expect(same(SafeText.name(name, bytes: 255), name))
    }

    /// In captions right-to-left writing needs them, and Thai.
    @Test func marks_stay_inCaptions() {
        let text = "\u{200F}(שלום)\u{200E}! ก\u{200B}ข"
        #expect(same(SafeText.line(text), text))
    }

    @Test func label_isNotEmpty_whereOneCharacterIsTooLong() {
        let heap = "é" + String(repeating: "\u{0301}", count: 100)
        #expect(same(SafeText.label(heap, bytes: 7), "é\u{0301}\u{0301}"))
    }

    @Test func label_showsWhatLostItsEnd() {
        let text = "to \u{2067}אבגד\u{2069}"
        #expect(same(SafeText.label(text, bytes: 17), text))
        #expect(same(SafeText.label(text, bytes: 14), "to <U+2067>א"))
    }

    @Test func rows_areSafeEach_andHoldTheSame() {
        var generator = SeededGenerator(seed: 8)
        for _ in 0..<4_000 {
            let text = SafeText.line(hostileText(&generator))
            var rest = Array(text.unicodeScalars)[...]
            var rows: [String] = []
            while !rest.isEmpty {
                let count = Int.random(in: 1...rest.count, using: &generator)
                rows.append(String(String.UnicodeScalarView(rest.prefix(count))))
                rest = rest.dropFirst(count)
            }
            let closed = DirectionalRows.closed(rows)
            let holds =
                closed.count == rows.count && closed.allSatisfy(isHarmless)
                && closed.map(withoutDirections) == rows.map(withoutDirections)
            if !holds { Issue.record("\(rows) become \(closed)") }
        }
    }

    @Test func rows_goOnInTheirDirection() {
        #expect(
            DirectionalRows.closed(["a \u{2067}b \u{202A}c", "d\u{202C}", "e\u{2069} f"]).map(
                scalars)
                == [
                    "a \u{2067}b \u{202A}c\u{202C}\u{2069}",
                    "\u{2067}\u{202A}d\u{202C}\u{2069}", "\u{2067}e\u{2069} f",
                ].map(scalars))
        #expect(
            scalars(DirectionalRows.closed(beginning: "\u{2067}ab"))
                == scalars("\u{2067}ab\u{2069}"))
    }

    @Test func prefix_endsBetweenCharacters() {
        #expect(SafeText.prefix("ab字", bytes: 4) == "ab")
        #expect(SafeText.prefix("ab字", bytes: 5) == "ab字")
        #expect(SafeText.prefix("👩‍👩‍👧", bytes: 17) == "")
        #expect(SafeText.prefix("", bytes: 0) == "")
    }

    // MARK: The rules, said otherwise

    /// No control or override, and what is left of the others is nothing once neighbours that
    /// belong together are taken out again and again.
    private func isHarmless(_ text: String) -> Bool {
        let values = text.unicodeScalars.map(\.value)
        let isPlain = values.allSatisfy { value in
            !(0..<0x20).contains(value) && !(0x7F..<0xA0).contains(value)
                && ![0x2028, 0x2029, 0x202D, 0x202E].contains(value)
        }
        var left = values.compactMap { value -> UInt8? in
            switch value {
            case 0x202A, 0x202B: UInt8(ascii: "(")
            case 0x202C: UInt8(ascii: ")")
            case 0x2066...0x2068: UInt8(ascii: "[")
            case 0x2069: UInt8(ascii: "]")
            default: nil
            }
        }
        while let pair = left.indices.dropLast().first(where: {
            (left[$0] == UInt8(ascii: "(") && left[$0 + 1] == UInt8(ascii: ")"))
                || (left[$0] == UInt8(ascii: "[") && left[$0 + 1] == UInt8(ascii: "]"))
        }) {
            left.removeSubrange(pair...pair + 1)
        }
        return isPlain && left.isEmpty
    }

    private func hostileText(_ generator: inout SeededGenerator) -> String {
        let alphabet: [Unicode.Scalar] = [
            "a", "b", " ", "א", "字", "\u{301}", "\u{202A}", "\u{202B}", "\u{202C}", "\u{202C}",
            "\u{202D}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}", "\u{2069}",
        ]
        let rare: [Unicode.Scalar] = ["\u{1B}", "\u{7F}", "\u{9B}", "\u{2028}", "\u{202E}", "\t"]
        let hasRare = Int.random(in: 0..<4, using: &generator) == 0
        let letters = hasRare ? alphabet + rare : alphabet
        let count = Int.random(in: 0...14, using: &generator)
        return scalarText((0..<count).map { _ in letters.randomElement(using: &generator) ?? "a" })
    }

    private func scalarText(_ scalars: [Unicode.Scalar]) -> String {
        String(String.UnicodeScalarView(scalars))
    }

    private func withoutDirections(_ text: String) -> String {
        scalarText(
            text.unicodeScalars.filter {
                !(0x202A...0x202E).contains($0.value) && !(0x2066...0x2069).contains($0.value)
            })
    }

    private func scalars(_ text: String) -> [UInt32] { text.unicodeScalars.map(\.value) }

    private func same(_ one: some StringProtocol, _ other: some StringProtocol) -> Bool {
        one.utf8.elementsEqual(other.utf8)
    }
}
