import BeamscribeCore
import BeamscribeInput
import Testing

struct AutoParserTests {
    private func decision(_ parts: String..., ends: Bool = false) -> InputFormat? {
        var parser = AutoParser()
        for part in parts { _ = parser.feed(part) }
        if ends { _ = parser.finish() }
        return parser.decided
    }

    @Test func text_isDecidedAtOnce_whenTheFirstByteIsNoBrace() {
        #expect(decision("G") == .text)
        #expect(decision("\n  \t\r\n", "[Start") == .text)
        #expect(decision("\u{1B}[2K") == .text)
        #expect(events(.auto, "\n", " Go", "od\n") == [.partial(" Go"), .final(" Good")])
    }

    @Test func jsonl_isDecided_whenTheFirstLineIsACaption() {
        #expect(decision(#"{"text":"a"}"# + "\n") == .jsonl)
        #expect(decision("\n \n", #" {"te"#, #"xt":"a","x":1}"#, "\r\n") == .jsonl)
        #expect(decision("\u{FEFF}" + #"{"text":"a"}"# + "\n") == .jsonl)
        #expect(
            events(.auto, #"{"text":"a"}"# + "\n" + #"{"text":"b"}"# + "\n") == [
                .final("a"), .final("b"),
            ])
    }

    @Test func nothing_isDecided_whileTheFirstLineIsOpen() {
        #expect(decision("") == nil)
        #expect(decision("  \n") == nil)
        #expect(decision(#"{"text":"a"}"#) == nil)
        #expect(events(.auto, #"{"text":"#) == [.final(#"{"text":"#)])
    }

    @Test(arguments: ["{\n", "{}\n", "{laughs}\n", #"{"text":1}"# + "\n", #"{"txt":"a"}"# + "\n"])
    func text_isDecided_whenTheFirstLineIsNoCaption(_ line: String) {
        #expect(decision(line) == .text)
        #expect(finals(.auto, line + "next\n") == [String(line.dropLast()), "next"])
    }

    @Test func end_decides_withWhatThereIs() {
        #expect(decision(#"{"text":"a"}"#, ends: true) == .jsonl)
        #expect(events(.auto, #"{"text":"a"}"#) == [.final("a")])
        #expect(decision("{", ends: true) == .text)
        #expect(decision("", ends: true) == .text)
        #expect(decision("\n", ends: true) == .text)
    }

    @Test func byteOrderMark_isPassedOn_whenItComesInPieces() {
        let bytes = Array("\u{FEFF}{\"text\":\"a\"}\n".utf8)
        #expect(batches(.auto, bytes.map { [$0] }).flatMap { $0 } == [.final("a")])
        #expect(
            batches(.auto, [[0xEF], [0xBB, 0x78, 0x0A]]).flatMap { $0 }.compactMap(\.finalText) == [
                "\u{FFFD}x"
            ])
    }

    @Test func text_isDecided_whenTheFirstLineNeverEnds() {
        var parser = AutoParser()
        let part = [UInt8](repeating: UInt8(ascii: "{"), count: Limits.inputRead)
        var count = 0
        while parser.decided == nil, count < 20 {
            _ = parser.feed(part)
            count += 1
        }
        #expect(parser.decided == .text)
        #expect(count == 17)
    }

    @Test func lineNumbers_countFromTheStart_whenBlanksCameFirst() {
        #expect(
            events(.auto, "\n\n", #"{"text":"a"}"# + "\nbad\n") == [
                .final("a"), .warning("line 4 of the input is not usable: it is not valid JSON"),
            ])
    }

    @Test func formats_haveTheNamesOfTheCommandLine() {
        #expect(InputFormat.allCases.map(\.rawValue) == ["auto", "text", "jsonl"])
    }
}
