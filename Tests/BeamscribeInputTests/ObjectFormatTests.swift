import BeamscribeCore
import BeamscribeInput
import Testing

/// What the events of forms of JSON objects hold beyond their text, and what becomes of damage.
struct ObjectFormatTests {
    @Test func partialsRepeated_sayNothingNew_inVosk() {
        var parser = InputFormat.vosk.makeParser()
        #expect(parser.feed("{\n  \"partial\" : \"a\"\n}") == [.partial("a")])
        #expect(parser.feed("\n{\n  \"partial\" : \"a\"\n}\n{\"par") == [])
        #expect(parser.feed("tial\":\"\"}") == [.partial("")])
        #expect(parser.feed(#"{"partial":"open"}"#) == [.partial("open")])
        #expect(parser.finish() == [.final("open")])
    }

    @Test func object_isPassedOver_whenItIsDamaged() {
        let text = """
            {"partial" : "good mor
            {"text" : "one"}
            {"text" : 7}
            {
              "partial" : [
            {"text" : "two"} noise {"text":}
            {"text" : "thr
            """
        #expect(
            events(.vosk, text) == [
                .warning("line 1 of the input is not usable: it is not valid JSON"),
                .final("one"),
                .warning(
                    "line 3 of the input is not usable: \"text\" is not what this form has there"),
                .warning("line 4 of the input is not usable: it is not valid JSON"),
                .final("two"),
                .warning("line 6 of the input is not usable: it is not valid JSON"),
                .warning("line 7 of the input is not usable: it ends too early"),
            ])
    }

    @Test func object_isPassedOver_whenItIsTooLong() {
        let long = String(repeating: "x", count: Limits.inputObject)
        let text = #"{"text":""# + long + "\"}\n" + #"{"text":"next"}"#
        #expect(
            events(.vosk, text) == [
                .warning(
                    "line 1 of the input is not usable: it is longer than \(Limits.inputObject) bytes"
                ), .final("next"),
            ])
    }

    @Test func times_areThoseOfTheWords_inVosk() {
        let text = #"{"result":[{"start":1,"end":2},{"start":2,"end":3.5}],"text":"a b"}"#
        #expect(events(.vosk, text) == [.final(Caption(text: "a b", start: 1, end: 3.5))])
    }

    @Test func turn_isCorrected_whenItComesFormatted_inAssemblyAI() {
        let turn = { (text: String, ends: Bool) in
            #"{"type":"Turn","turn_order":4,"end_of_turn":\#(ends),"transcript":"\#(text)"}"#
        }
        var parser = InputFormat.assemblyAI.makeParser()
        #expect(
            parser.feed(turn("good", false)) == [.partial(Caption(text: "good", line: "turn-4"))])
        #expect(parser.feed(turn("good day", true)) == [.final("good day", line: "turn-4")])
        #expect(parser.feed(turn("good day", true)) == [])
        #expect(parser.feed(turn("Good day.", true)) == [.correction("Good day.", line: "turn-4")])
        #expect(parser.feed(turn("late", false)) == [])
    }

    @Test func pieces_areJoined_untilTheSpeechEnds_inDeepgram() {
        let piece = { (text: String, isFinal: Bool, ends: Bool) in
            #"{"type":"Results","start":1,"duration":2,"is_final":\#(isFinal),"#
                + #""speech_final":\#(ends),"channel":{"alternatives":[{"transcript":"\#(text)"}]}}"#
        }
        var parser = InputFormat.deepgram.makeParser()
        #expect(parser.feed(piece("a", true, false)).compactMap(\.partialLine?.text) == ["a"])
        #expect(parser.feed(piece("b", false, false)).compactMap(\.partialLine?.text) == ["a b"])
        #expect(parser.feed(piece("c", false, false)).compactMap(\.partialLine?.text) == ["a c"])
        #expect(
            parser.feed(piece("c d", true, true)) == [
                .final(Caption(text: "a c d", start: 1, end: 3))
            ])
        _ = parser.feed(piece("open", true, false))
        #expect(parser.finish().compactMap(\.finalText) == ["open"])
    }

    @Test func messages_sayOnlyWhatIsNew_inWhisperLiveKit() {
        let message = { (lines: String, buffer: String) in
            #"{"status":"x","lines":[\#(lines)],"buffer_transcription":"\#(buffer)"}"# + "\n"
        }
        let first = #"{"speaker":1,"text":"One. Two","start":"0:00:00","end":"0:00:02"}"#
        let second = #"{"speaker":"Bo","text":"Three.","start":"0:00:03","end":"0:00:04"}"#
        var parser = InputFormat.whisperLiveKit.makeParser()
        let one = Caption(text: "One.", line: "1.1", speaker: "Speaker 1", start: 0)
        let two = Caption(text: "Two three", line: "1.2", speaker: "Speaker 1")
        #expect(parser.feed(message(first, "three")) == [.final(one), .partial(two)])
        #expect(parser.feed(message(first, "three")) == [])
        let done = Caption(text: "Two", line: "1.2", speaker: "Speaker 1", end: 2)
        let three = Caption(text: "Three.", line: "2.1", speaker: "Bo", start: 3)
        #expect(
            parser.feed(message(first + "," + second, "")) == [.final(done), .partial(three)])
        let changed = first.replacing("One", with: "Won")
        #expect(
            parser.feed(message(changed + "," + second, "")) == [
                .correction(Caption(text: "Won.", line: "1.1", speaker: "Speaker 1", start: 0))
            ])
        // A server that forgets its first line.
        #expect(parser.feed(message(second, "")) == [])
        #expect(parser.finish() == [.final(three)])
    }

    @Test func utterance_ofCrispASR_isReadAsJSONLines() {
        let text = """
            {"type":"partial","utterance_id":1,"text":"good","t0":0.5,"t1":1}
            {"type":"final","utterance_id":1,"text":"good day","t0":0.5,"t1":2}
            {"type":"line","seq":4,"text":"of a guest"}

            """
        #expect(
            events(.jsonl, text) == [
                .final(Caption(text: "good day", line: "1", start: 0.5, end: 2)),
                .final("of a guest"),
            ])
    }

    @Test func list_isFollowed_whenItIsLongerThanIsRemembered() {
        let line = { (number: Int) in
            #"{"speaker":1,"text":"Line \#(number).","start":\#(number),"end":\#(number + 1)}"#
        }
        for isTimed in [true, false] {
            var parser = InputFormat.whisperLiveKit.makeParser()
            var found: [InputEvent] = []
            for count in 1...200 {
                let lines = (1...count).map(line).joined(separator: ",")
                let list = isTimed ? lines : lines.replacing("\"start\"", with: "\"x\"")
                found += parser.feed(#"{"lines":[\#(list)],"buffer_transcription":""}"#)
            }
            found += parser.finish()
            #expect(found.compactMap(\.finalText) == (1...200).map { "Line \($0)." })
            #expect(found.allSatisfy { if case .correction = $0 { false } else { true } })
        }
    }
}
