import BeamscribeCore
import Testing

@testable import BeamscribeInput

struct JSONLinesParserTests {
    private func partial(_ text: String, _ line: String) -> InputEvent {
        .partial(Caption(text: text, line: line))
    }

    @Test func object_isFinal_unlessItSaysOtherwise() {
        #expect(
            events(.jsonl, #"{"text":"a"}"# + "\n" + #"{"text":"b","final":true}"#, "\n")
                == [.final("a"), .final("b")])
        #expect(events(.jsonl, #"{"text":"a","final":false}"# + "\n") == [.partial("a")])
    }

    @Test func everyKey_isRead_whenItIsThere() {
        let json =
            #"{"text":"a","line":"l","speaker":"Ann","lang":"en","start":1,"end":2.5,"#
            + #""replaces":3,"of":4,"unknown":{"x":[1]}}"#
        var line = Caption(
            text: "a", line: "l", speaker: "Ann", lang: "en", start: 1, end: 2.5, replaces: 3)
        line.of = 4
        #expect(events(.jsonl, json) == [.final(line)])
    }

    @Test func lineID_isAString_whenItIsANumber() {
        #expect(
            events(.jsonl, #"{"text":"a","line":17}"#) == [
                .final(Caption(text: "a", line: "17"))
            ])
    }

    @Test func absentKeys_areNone_whenTheyAreNullOrEmpty() {
        #expect(
            events(.jsonl, #"{"text":"a","line":null,"speaker":"","end":null}"#) == [.final("a")])
    }

    @Test(arguments: [
        ("nonsense", "it is not valid JSON"), (#"{"text":"a""#, "it is not valid JSON"),
        ("[1]", "it is not a JSON object"), ("3", "it is not a JSON object"),
        ("null", "it is not a JSON object"), ("{}", #"it has no "text""#),
        (#"{"text":1}"#, #""text" has to be a string"#),
        (#"{"text":null}"#, #"it has no "text""#),
        (#"{"text":"a","final":"yes"}"#, #""final" has to be true or false"#),
        (#"{"text":"a","line":1.5}"#, #""line" has to be a string or a whole number"#),
        (#"{"text":"a","line":[]}"#, #""line" has to be a string or a whole number"#),
        (#"{"text":"a","start":"1"}"#, #""start" has to be a number of seconds"#),
        (#"{"text":"a","end":1e999}"#, #""end" has to be a number of seconds"#),
        (#"{"text":"a","replaces":0}"#, #""replaces" has to be a whole number from 1 up"#),
        (#"{"text":"a","replaces":1.5}"#, #""replaces" has to be a whole number from 1 up"#),
        (#"{"text":"a","of":0}"#, #""of" has to be a whole number from 1 up"#),
        (#"{"text":"a","of":"1"}"#, #""of" has to be a whole number from 1 up"#),
    ])
    func badLine_isAWarning_andTheNextIsRead(_ line: String, _ reason: String) {
        #expect(
            events(.jsonl, "\n" + line + "\n" + #"{"text":"next"}"# + "\n") == [
                .warning("line 2 of the input is not usable: " + reason), .final("next"),
            ])
    }

    @Test func brokenUTF8_isAWarning_andTheNextIsRead() {
        var parser = JSONLinesParser()
        let found = parser.feed(
            Array(#"{"text":""#.utf8) + [0xFF] + Array("\"}\n{\"text\":\"b\"}\n".utf8))
        #expect(
            found == [
                .warning("line 1 of the input is not usable: it is not valid JSON"), .final("b"),
            ])
    }

    /// The quick reader may pass a line on, but never read it differently. It reads none that ends
    /// with a space.
    @Test func quickReader_agreesWithTheGeneralOne_aboutAnything() {
        var generator = SeededGenerator(seed: 9)
        let whole = Array(
            (#"{"text":"Grüße","final":true,"line":"l-1","speaker":"Ann","lang":"en","#
                + #""start":1.5,"end":2,"replaces":3,"of":14}"#).utf8)
        let pool = Array("\"\\{}:,0-9.eE+ nft\u{1}".utf8) + [0xFF, 0x80]
        var quick = 0
        for _ in 0..<4_000 {
            var line = whole
            for _ in 0..<Int.random(in: 0...2, using: &generator) {
                let index = line.indices.randomElement(using: &generator) ?? 0
                line[index] = pool.randomElement(using: &generator) ?? 0
            }
            if line.withUnsafeBytes({ CaptionObject(quickly: $0) }) != nil { quick += 1 }
            var (one, other) = (JSONLinesParser(), JSONLinesParser())
            let general = other.feed(line + Array(" \n".utf8))
            #expect(one.feed(line + Array("\n".utf8)) == general)
        }
        #expect(quick > 1_000)
    }

    @Test func controls_becomeVisible_inTextAndLabels() {
        let json = #"{"text":"a\u001b[2Jb\nc","speaker":"A\u0007nn","line":"\#(long(300))"}"#
        #expect(
            events(.jsonl, json) == [
                .final(Caption(text: "a␛[2Jb c", line: long(255), speaker: "A␇nn"))
            ])
    }

    @Test func partials_areTheNewestOfEachLine_whenABatchHoldsSeveral() {
        let batch = [
            #"{"text":"a","final":false,"line":1}"#, #"{"text":"x","final":false,"line":2}"#,
            #"{"text":"ab","final":false,"line":1}"#, #"{"text":"done"}"#, "",
        ]
        #expect(
            events(.jsonl, batch.joined(separator: "\n")) == [
                .final("done"), partial("x", "2"), partial("ab", "1"),
            ])
    }

    @Test func partial_isNotSent_whenItIsRepeatedOrItsFinalFollows() {
        let open = #"{"text":"a","final":false,"line":1}"# + "\n"
        #expect(events(.jsonl, open, open) == [partial("a", "1")])
        #expect(
            events(.jsonl, open + #"{"text":"b","line":1}"#) == [
                partial("a", "1"), .final(Caption(text: "b", line: "1")),
            ])
        #expect(
            events(.jsonl, open + #"{"text":"b","line":1}"# + "\n") == [
                .final(Caption(text: "b", line: "1"))
            ])
    }

    @Test func partial_isWithdrawn_whenItsTextBecomesEmpty() {
        let open = #"{"text":"a","final":false,"line":1}"# + "\n"
        #expect(
            events(.jsonl, open, #"{"text":"","line":1}"#) == [partial("a", "1"), partial("", "1")])
        #expect(
            events(.jsonl, open, #"{"text":"  ","final":false,"line":1}"#) == [
                partial("a", "1"), partial("", "1"),
            ])
        #expect(events(.jsonl, #"{"text":""}"# + "\n", #"{"text":"","final":false}"#) == [])
    }

    @Test func openLines_areBounded_whenNoneEverEnds() {
        let lines = (0..<1_000).map { #"{"text":"a","final":false,"line":\#($0)}"# + "\n" }
        #expect(events(.jsonl, lines.joined()).count == Limits.openLines)
    }

    @Test func hugeLine_isPassedOver_withOneWarning() {
        let huge = #"{"text":""# + long(Limits.inputObject) + "\"}\n"
        let wanted: [InputEvent] = [
            .warning("line 1 of the input is not usable: it is longer than 1048576 bytes"),
            .final("next"),
        ]
        let bytes = Array((huge + #"{"text":"next"}"#).utf8)
        #expect(batches(.jsonl, [bytes]).flatMap { $0 } == wanted)
        let parts = stride(from: 0, to: bytes.count, by: Limits.inputRead)
            .map { Array(bytes[$0..<min($0 + Limits.inputRead, bytes.count)]) }
        #expect(batches(.jsonl, parts).flatMap { $0 } == wanted)
    }

    private func long(_ count: Int) -> String {
        String(repeating: "x", count: count)
    }
}
