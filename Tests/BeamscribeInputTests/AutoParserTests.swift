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

    private func decisionWhenQuiet(_ parts: String...) -> InputFormat? {
        var parser = AutoParser()
        for part in parts { _ = parser.feed(part) }
        _ = parser.settle()
        return parser.decided
    }

    @Test func text_isDecided_whenNoFormBeginsLikeTheFirstLine() {
        #expect(decision("Good morning\n") == .text)
        #expect(decision("\n  \t\r\n", "Good morning\n") == .text)
        #expect(decision("Model trains: a talk\nfirst\n") == .text)
        #expect(decision("42\nis the answer\n") == .text)
        #expect(decision("5 10 people came\nNobody knew\n") == .text)
        #expect(decision("#1 is next\n") == .text)
        #expect(decision("[applause]\n") == .text)
        #expect(decision("12:30 it is\n") == .text)
        #expect(
            events(.auto, "\n", " Good\n", "x") == [.final(" Good"), .partial("x"), .final("x")])
    }

    @Test(arguments: ["G", "Good mor", "42\n", "[", "1", "/", "Model trains: a talk\n", "READY"])
    func text_isDecided_whenNothingMoreComesForASecond(_ text: String) {
        #expect(decision(text) == nil)
        #expect(decisionWhenQuiet(text) == .text)
    }

    @Test func settling_showsTheOpenLine_thatWasHeldBack() {
        var parser = AutoParser()
        #expect(!parser.awaitsQuiet)
        #expect(parser.feed("Good mor") == [])
        #expect(parser.awaitsQuiet)
        #expect(parser.settle() == [.partial("Good mor")])
        #expect(!parser.awaitsQuiet)
        #expect(parser.settle() == [])
    }

    @Test func forms_areDecided_whenWhatTheySaidFirstIsAllThereIs() {
        #expect(decisionWhenQuiet("[Start speaking]\n") == .whisperStream)
        #expect(decisionWhenQuiet("Detected language: English\n") == .whisper)
        #expect(decisionWhenQuiet("Model name: x\nModel desc: y\n") == .aprilASR)
        #expect(decisionWhenQuiet("0 100 a\n100 200 b\n") == .whisperStreaming)
        #expect(decisionWhenQuiet("\n") == nil)
        // An object that is not whole yet is none that could be read.
        #expect(decisionWhenQuiet(#"{"text":"Good"#) == nil)
        #expect(decisionWhenQuiet(#"{"text":"Good"}"#) == .jsonl)
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
        #expect(decision("\u{1B}") == nil)
        #expect(decision(#"{"text":"a"}"#) == nil)
        #expect(events(.auto, #"{"text":"#) == [.final(#"{"text":"#)])
    }

    @Test(arguments: [
        "{\nx\n", "{}\n", "{laughs}\n", #"{"text":1}"# + "\n", #"{"txt":"a"}"# + "\n",
    ])
    func text_isDecided_whenTheFirstLineIsNoCaption(_ line: String) {
        #expect(decision(line) == .text)
        let lines = line.split(separator: "\n").map(String.init)
        #expect(finals(.auto, line + "next\n") == lines + ["next"])
    }

    @Test func end_decides_withWhatThereIs() {
        #expect(decision(#"{"text":"a"}"#, ends: true) == .jsonl)
        #expect(events(.auto, #"{"text":"a"}"#) == [.final("a")])
        #expect(decision("{", ends: true) == .text)
        // Who has said nothing is taken for nothing.
        #expect(decision("", ends: true) == nil)
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
        let part = [UInt8](repeating: UInt8(ascii: "x"), count: Limits.inputRead)
        _ = parser.feed(#"{"text":""#)
        var count = 0
        while parser.decided == nil, count < 20 {
            _ = parser.feed(part)
            count += 1
        }
        #expect(parser.decided == .text)
        #expect(count == 16)
    }

    @Test func lineNumbers_countFromTheStart_whenBlanksCameFirst() {
        #expect(
            events(.auto, "\n\n", #"{"text":"a"}"# + "\nbad\n") == [
                .final("a"), .warning("line 4 of the input is not usable: it is not valid JSON"),
            ])
    }

    @Test func formats_haveTheNamesOfTheCommandLine() {
        let names = [
            "auto", "text", "jsonl", "whisper-stream", "whisper", "vosk", "whisper-streaming",
            "pocketsphinx", "whisperlivekit", "nerd-dictation", "sherpa-onnx", "april-asr",
            "deepgram", "assemblyai", "plover", "srt", "vtt", "sbv",
        ]
        #expect(InputFormat.allCases.map(\.rawValue) == names)
    }
}
