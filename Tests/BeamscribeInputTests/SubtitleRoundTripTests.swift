import BeamscribeCore
import BeamscribeInput
import Testing

/// Subtitles of this program, read again.
@Suite struct SubtitleRoundTripTests {
    private static let signs = [
        "\\n", "\\N", "\\h", "\\t", "\\", "{", "}", "{}", "<", ">", "</", "-->", "--", "->", "&",
        "&lt;", "&amp;", "&#65;", ";", "(", ")", "\"", "=", "==", "|", "/", "_", "<\u{301}",
        ">\u{301}", "{\\an8}", "<b>", "<v Ann>", "12", "00:00:01,000", "::", "🎉", "é",
    ]
    private static let words = ["if", "return", "name", "home", "String", "x", "null", "NOTE"]
    /// A text that holds one of these itself is read as if this program had written it.
    private static let ours: [Unicode.Scalar] = ["\u{2060}", "\u{2774}", "\u{2775}"]

    private static func line(using random: inout SeededGenerator) -> String {
        let tokens = (0..<Int.random(in: 1...12, using: &random)).map { _ in
            (Bool.random(using: &random) ? signs : words).randomElement(using: &random) ?? ""
        }
        var line = ""
        for token in tokens {
            if Int.random(in: 0..<200, using: &random) == 0 {
                line.unicodeScalars.append(contentsOf: ours.shuffled(using: &random).prefix(1))
            }
            // A word that is longer than a row would be broken.
            let word = line.split(separator: " ").last ?? ""
            let isLong = word.count + token.count > 20
            line += (isLong || Bool.random(using: &random) ? " " : "") + token
        }
        return String(line.drop { $0 == " " })
    }

    /// Returns what the file of `lines` says, by the index of the line.
    private func readBack(
        _ lines: [String], _ format: TranscriptFormat, _ input: InputFormat
    ) -> [Int: String] {
        var exporter = TranscriptExporter(format, range: 1...Int.max)
        var file = exporter.header
        for (index, text) in lines.enumerated() {
            let line = TranscriptLine(
                seq: index + 1, line: "", text: text, start: Double(20 * index),
                end: Double(20 * index + 10), sentTimestamp: Double(20 * index),
                receivedTimestamp: 0, latency: 0)
            file += exporter.text(for: line)
        }
        var read: [Int: String] = [:]
        for case .final(let caption) in events(input, file + exporter.end()) {
            let index = Int(caption.start ?? -1) / 20
            read[index] = (read[index].map { $0 + " " } ?? "") + caption.text
        }
        return read
    }

    /// The only lines that change are those that hold a joiner or a look-alike themselves.
    @Test(arguments: [(TranscriptFormat.srt, InputFormat.srt), (.vtt, .vtt)])
    func code_isReadAgain_asItWasSaid(_ format: TranscriptFormat, _ input: InputFormat) {
        var random = SeededGenerator(seed: 46)
        let lines = (0..<10_000).map { _ in Self.line(using: &random) }
        let read = readBack(lines, format, input)
        var changed = 0
        for (index, line) in lines.enumerated() where !isSame(read[index] ?? "", line) {
            let holds = line.unicodeScalars.contains { Self.ours.contains($0) }
            #expect(holds, "\(line) is read as \(read[index] ?? "")")
            changed += 1
        }
        #expect(changed == 255)
    }

    private func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.elementsEqual(other.utf8)
    }

    @Test func foreignFiles_keepTheirJoinersAndLookalikes() {
        let srt = "1\n00:00:01,000 --> 00:00:02,000\nC:\\\u{2060}new ❴x❵ <\u{2060}b> &lt;\n\n"
        let expected = "C:\\\u{2060}new ❴x❵ <\u{2060}b> <"
        for blanks in ["", " ", "    ", "      "] {
            let file = srt.replacing("02,000", with: "02,000" + blanks)
            #expect(finals(.srt, file).map { Array($0.utf8) } == [Array(expected.utf8)])
        }
        let vtt = "00:01.000 --> 00:02.000\nC:\\\u{2060}new ❴x❵\n\n"
        for header in ["", "NOTE Written by somebody\n\n", "NOTE\nNOTE Written by beamscribe\n\n"] {
            #expect(finals(.vtt, "WEBVTT\n\n" + header + vtt) == ["C:\\\u{2060}new ❴x❵"])
        }
    }

    @Test func marks_countForTheirOwnFileAlone() {
        let cue = "1\n00:00:01,000 --> 00:00:02,000\n❴<\u{2060}b>❵\n\n"
        let ours = cue.replacing("02,000", with: "02,000     ")
        #expect(finals(.srt, ours + cue + ours) == ["{<b>}", "❴<\u{2060}b>❵", "{<b>}"])
        // A mark further down is none.
        let third = "3" + ours.dropFirst()
        #expect(finals(.srt, cue + third) == ["❴<\u{2060}b>❵", "❴<\u{2060}b>❵"])
        let note = "NOTE Written by beamscribe\n\n"
        let vtt = "00:01.000 --> 00:02.000\n❴x❵\n\n"
        let header = "WEBVTT\n\n"
        let files = header + note + vtt + header + vtt + note + vtt
        #expect(finals(.vtt, files) == ["{x}", "❴x❵", "❴x❵"])
    }

    /// A tag that somebody adds to a marked file is still a tag.
    @Test func tags_areRead_inMarkedFiles() {
        let srt = "1\n00:00:01,000 --> 00:00:02,000     \n{\\an8}<i>a <\u{2060}i> &amp;</i>\n\n"
        #expect(finals(.srt, srt) == ["a <i> &amp;"])
    }

    @Test func entities_areRead_besideCombiningCharacters() {
        let vtt = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v A&amp;\u{301}>a &lt;\u{301}b\n\n"
        let caption = Caption(text: "a <\u{301}b", speaker: "A&\u{301}", start: 1, end: 2)
        #expect(events(.vtt, vtt) == [.final(caption)])
    }
}
