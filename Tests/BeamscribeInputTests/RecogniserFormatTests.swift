import BeamscribeCore
import BeamscribeInput
import Testing

/// What the events of forms of lines hold beyond their text, and what becomes of damage.
struct RecogniserFormatTests {
    @Test func times_areThoseOfTheBlock_inWhisperStream() {
        let text = """
            ### Transcription 3 START | t0 = 1500 ms | t1 = 4000 ms

            [00:00:00.500 --> 00:00:02.000]   Good morning.

            ### Transcription 3 END

            """
        #expect(
            events(.whisperStream, text) == [
                .final(Caption(text: "Good morning.", start: 2, end: 3.5))
            ])
    }

    @Test func partials_areWhatTheLineIsNow_inWhisperStream() {
        var parser = InputFormat.whisperStream.makeParser()
        #expect(parser.feed("[Start") == [])
        #expect(parser.feed(" speaking]\n") == [])
        #expect(parser.feed("\u{1B}[2K\r Good mor") == [.partial("Good mor")])
        #expect(parser.feed("\u{1B}[2K\r    \u{1B}[2K\r Good") == [.partial("Good")])
        #expect(parser.feed("\n### Trans") == [.final("Good")])
        #expect(parser.finish() == [.final("### Trans")])
    }

    @Test func times_areRead_whateverTheirShape() {
        let text = """
            [00:02.000 --> 01:00:04.500]  a
            [0.50s -> 61.25s]  b
            no times
            [00:00:0x.000 --> 00:00:01.000]  c

            """
        #expect(
            events(.whisper, text) == [
                .final(Caption(text: "a", start: 2, end: 3_604.5)),
                .final(Caption(text: "b", start: 0.5, end: 61.25)), .final("no times"),
                .warning("line 4 of the input is not usable: its times are damaged"),
            ])
    }

    @Test func times_areRead_inPocketSphinx() {
        let text = #"{"b":1.5,"d":2.0,"p":1,"t":"say "a" now","w":[]}"# + "\n{\"x\":1}\n"
        #expect(
            events(.pocketsphinx, text) == [
                .final(Caption(text: #"say "a" now"#, start: 1.5, end: 3.5)),
                .warning("line 2 of the input is not usable: it has no \"t\""),
            ])
    }

    @Test func lastLine_becomesFinal_whenTheNextBeginsOrASecondPasses_inSherpa() {
        var parser = InputFormat.sherpaOnnx.makeParser()
        #expect(parser.feed("\r0: good") == [.partial("good")])
        #expect(!parser.awaitsQuiet)
        #expect(parser.feed("\r0: good day\n") == [.partial("good day")])
        #expect(parser.awaitsQuiet)
        #expect(parser.settle() == [.final("good day")])
        #expect(!parser.awaitsQuiet)
        #expect(parser.feed("\r1: next\n\r2: one") == [.final("next"), .partial("one")])
    }

    @Test func line_isReopened_whenATypistGoesBackToIt() {
        var parser = InputFormat.nerdDictation.makeParser()
        #expect(parser.feed("one\n") == [.final("one", line: "typed-1")])
        #expect(parser.feed("tw") == [.partial(Caption(text: "tw", line: "typed-2"))])
        #expect(
            parser.feed("\u{8}\u{8}\u{8}") == [
                .partial(Caption(text: "", line: "typed-2")),
                .partial(Caption(text: "one", line: "typed-1")),
            ])
        #expect(parser.feed("ly\n") == [.correction("onely", line: "typed-1")])
    }

    @Test func translations_areTakenBack_beforeAndAfterTheSentenceEnds_inPlover() {
        let entry = { (text: String) in "2026-01-05 10:00:00,123 " + text + "\n" }
        let word = { (text: String) in "Translation(('X',) : \"\(text)\")" }
        var parser = InputFormat.plover.makeParser()
        #expect(
            parser.feed(entry(word("one"))) == [.partial(Caption(text: "One", line: "typed-1"))])
        #expect(
            parser.feed(entry("*" + word("one"))) == [.partial(Caption(text: "", line: "typed-1"))])
        _ = parser.feed(entry(word("two")))
        #expect(parser.feed(entry(word("{.}"))) == [.final("Two.", line: "typed-1")])
        _ = parser.feed(entry("*" + word("{.}")))
        #expect(parser.feed(entry(word("{?}"))) == [.correction("Two?", line: "typed-1")])
        #expect(parser.feed(entry("Stroke(['X'])")) == [])
        #expect(
            parser.feed("rubbish\n") == [
                .warning("line 8 of the input is not usable: it is no entry of Plover's log")
            ])
    }

    @Test func cues_haveTheirTimesAndSpeakers() {
        let text = """
            WEBVTT

            00:01.000 --> 00:02.500 line:0
            <v Ann>One <i>two</i></v>
            &lt;three&gt; &#233; a < b
            <v Bo>Four

            """
        #expect(
            events(.vtt, text) == [
                .final(
                    Caption(text: "One two <three> é a < b", speaker: "Ann", start: 1, end: 2.5)),
                .final(Caption(text: "Four", speaker: "Bo", start: 1, end: 2.5)),
            ])
        #expect(
            events(.srt, "1\n0:00:01,5 --> 0:00:02,25\n{\\an8}a\n2\n0:00:03,0 --> 0:00:04,0\nb")
                == [
                    .final(Caption(text: "a", start: 1.5, end: 2.25)),
                    .final(Caption(text: "b", start: 3, end: 4)),
                ])
        #expect(
            events(.srt, "rubbish\n\n1\n00:00:01,000 --> 00:00:02,000\n\n") == [
                .warning("line 1 of the input is not usable: it belongs to no cue")
            ])
    }
}
