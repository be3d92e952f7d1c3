import BeamscribeCore
import BeamscribeInput
import Testing

/// Words that come off the record never come out, however the input is cut.
@Suite struct OffRecordFilterTests {
    /// An input with a parser and a filter, as a host has them.
    private struct Input {
        var parser: InputReader
        var filter = OffRecordFilter()
        var events: [InputEvent] = []

        init(_ format: InputFormat) { parser = InputReader(format) }

        mutating func read(_ text: some StringProtocol) { read(Array(text.utf8)[...]) }

        mutating func read(_ bytes: ArraySlice<UInt8>) {
            var copy = parser
            events += Array(bytes).withUnsafeBytes { bytes in
                filter.isActive ? filter.take(bytes, by: &copy) : copy.feed(bytes)
            }
            parser = copy
        }

        mutating func end() { events += filter.pass(parser.finish()) }

        var finals: [String] {
            events.compactMap { if case .final(let caption) = $0 { caption.text } else { nil } }
        }
        var words: String {
            events.map { event in
                switch event {
                case .final(let caption), .partial(let caption), .correction(let caption):
                    caption.text
                case .warning(let text): text
                }
            }.joined(separator: "\n")
        }
    }

    @Test func lines_areLeftOut_thatCameOffTheRecord() {
        var input = Input(.text)
        input.read("one\ntwo\n")
        input.filter.begin()
        input.read("secret\nmore secret\n")
        input.filter.end()
        input.read("three\n")
        #expect(input.finals == ["one", "two", "three"])
        #expect(!input.words.contains("secret"))
    }

    @Test func lineThatWasBegunOffTheRecord_isDroppedWhole() {
        var input = Input(.text)
        input.read("on rec")
        input.filter.begin()
        input.read("ord? secret")
        input.filter.end()
        input.read(" and its end")
        input.read("\nthree\n")
        #expect(input.finals == ["three"])
        #expect(!input.words.contains("secret") && !input.words.contains("its end"))
    }

    @Test func lineOfWhichNothingCame_goesOn() {
        var input = Input(.text)
        input.read("on rec")
        input.filter.begin()
        input.filter.end()
        input.read("ord\n")
        #expect(input.finals == ["on record"])
        #expect(!input.filter.isActive)
    }

    @Test func rewrittenLine_isDroppedToItsEnd() {
        var input = Input(.text)
        input.filter.begin()
        input.read("\r\u{1B}[2Ksecret")
        input.filter.end()
        input.read("\r\u{1B}[2Ksecret words")
        input.filter.begin()
        input.filter.end()
        input.read("\r\u{1B}[2Ksecret words, all\nopen\n")
        #expect(input.finals == ["open"] && !input.words.contains("secret"))
    }

    @Test func objectLines_areKnownByTheirIds() {
        var input = Input(.jsonl)
        func partial(_ id: String, _ text: String) -> String {
            #"{"final":false,"line":"\#(id)","text":"\#(text)"}"# + "\n"
        }
        func final(_ id: String, _ text: String) -> String {
            #"{"line":"\#(id)","text":"\#(text)"}"# + "\n"
        }
        input.read(partial("a", "on record"))
        input.filter.begin()
        input.read(partial("b", "secret") + partial("a", "on record, secret"))
        input.filter.end()
        input.read(partial("b", "secret words") + partial("c", "open") + final("c", "open it is"))
        input.read(final("b", "secret words.") + final("a", "on record, secret."))
        input.read(partial("b", "another line") + final("b", "another line."))
        #expect(input.finals == ["open it is", "another line."])
        #expect(!input.words.contains("secret"))
    }

    @Test func form_isFoundOut_offTheRecordToo() {
        var input = Input(.auto)
        input.filter.begin()
        input.read(#"{"text":"sec"#)
        input.filter.end()
        input.read("ret\"}\n{\"text\":\"open\"}\n{\"text\":\"one\"}\n")
        input.end()
        #expect(!input.words.contains("ret"))
        #expect(input.finals.last == "one")
    }

    /// An object or a cue of several lines, of which the last one comes on the record.
    @Test(arguments: [
        (InputFormat.jsonl, #"{"text":"sec"#, "ret\"}\n", "{\"text\":\"open\"}\n"),
        (InputFormat.vosk, "{\n  \"text\" : \"secret\"\n", "}\n", "{\n  \"text\" : \"open\"\n}\n"),
        (.srt, "1\n00:01,0 --> 00:02,0\nsecret\n", "\n", "2\n00:03,0 --> 00:04,0\nopen\n\n"),
        (
            .auto, "1\n00:00:01,000 --> 00:00:02,000\nsecret\n", "words\n\n",
            "2\n00:00:03,000 --> 00:00:04,000\nopen\n\n"
        ),
    ])
    func wholeOfSeveralLines_isDropped_whenAPartCameOffTheRecord(
        _ format: InputFormat, _ secret: String, _ end: String, _ next: String
    ) {
        var input = Input(format)
        input.filter.begin()
        input.read(secret)
        // What is still to come of it is so, however often he changes his mind.
        input.filter.end()
        input.filter.begin()
        input.filter.end()
        input.read(end)
        input.read(next)
        input.end()
        #expect(input.finals == ["open"])
        #expect(!input.words.contains("secret") && !input.words.contains("words"))
    }

    @Test func correction_isDropped_howeverManyLinesWereSaidOffTheRecord() {
        var input = Input(.vosk)
        input.parser = InputReader(.assemblyAI)
        func turn(_ number: Int, _ text: String, isFormatted: Bool) -> String {
            #"{"type":"Turn","turn_order":\#(number),"turn_is_formatted":\#(isFormatted),"#
                + #""end_of_turn":true,"transcript":"\#(text)"}"# + "\n"
        }
        input.filter.begin()
        for number in 0...Limits.correctableLines {
            input.read(turn(number, "secret", isFormatted: false))
        }
        input.filter.end()
        input.read(turn(Limits.correctableLines, "Secret.", isFormatted: true))
        #expect(input.events.isEmpty)
    }

    @Test(arguments: [InputFormat.text, .jsonl], [false, true])
    func end_isDropped_offTheRecord(_ format: InputFormat, isBack: Bool) {
        var input = Input(format)
        input.filter.begin()
        input.read(#"{"text":"secret"}"#)
        if isBack { input.filter.end() }
        input.end()
        #expect(input.events.isEmpty)
    }

    /// Lines in pieces of any size, with the record on and off between any two of them: each line
    /// that came wholly on the record comes out, in order, and no letter of what came off it does.
    @Test(arguments: 0..<300)
    func lines_comeOutOrNot_howeverTheyAreCut(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(clamping: seed))
        var input = Input(.text)
        var expected: [String] = []
        var isOn = true
        var wasOn = true
        var line = ""
        for number in 0..<400 {
            if Int.random(in: 0..<9, using: &generator) == 0 {
                isOn.toggle()
                if isOn { input.filter.end() } else { input.filter.begin() }
            }
            let piece = (isOn ? "o" : "x") + "\(number)"
            wasOn = wasOn && isOn
            line += piece
            let ends = Int.random(in: 0..<3, using: &generator) == 0
            input.read(piece + (ends ? "\n" : ""))
            guard ends else { continue }
            if wasOn { expected.append(line) }
            (line, wasOn) = ("", true)
        }
        #expect(input.finals == expected)
        #expect(!input.words.contains("x"))
    }
}
