import BeamscribeCore
import BeamscribeInput
import Testing

/// What the operator says of an input is done to it, whatever its form.
struct InputReaderTests {
    private func read(
        _ format: InputFormat, _ text: String, _ change: (inout InputOptions) -> Void = { _ in }
    ) -> [InputEvent] {
        var options = InputOptions()
        change(&options)
        var reader = format.makeReader(options)
        return reader.feed(text) + reader.finish()
    }

    @Test func noise_isLeftOut_whereItIsTheWholeSegment() {
        let text = """
            [00:00:00.000 --> 00:00:01.000]   [BLANK_AUDIO]
            [00:00:01.000 --> 00:00:02.000]   (upbeat music)
            [00:00:02.000 --> 00:00:03.000]   ♪ [ Silence ]  *sighs*
            [00:00:03.000 --> 00:00:04.000]   (sighs) Good morning.
            [00:00:04.000 --> 00:00:05.000]   *not* noise

            """
        #expect(
            read(.whisper, text).compactMap(\.finalText) == [
                "(sighs) Good morning.", "*not* noise",
            ])
        #expect(read(.whisper, text) { $0.keepsNoise = true }.count == 5)
    }

    @Test func bytesThatAreNoUTF8_areToldOnce() {
        var reader = InputFormat.text.makeReader()
        let bytes = Array("caf".utf8) + [0xE9, 0x0A] + Array("na".utf8) + [0xEF, 0x76, 0x65, 0x0A]
        let events = bytes.withUnsafeBytes { reader.feed($0) } + reader.finish()
        let warnings = events.compactMap { if case .warning(let text) = $0 { text } else { nil } }
        #expect(warnings.count == 1 && warnings[0].contains("iconv"))
        #expect(events.compactMap(\.finalText).count == 2)
        #expect(read(.text, "café naïve \u{FF01}\n").count == 1, "all is well")
    }

    @Test func noise_ofPeople_isWhatTheyWrote() {
        #expect(read(.text, "(laughter)\n[BLANK_AUDIO]\n") == [.final("(laughter)")])
        #expect(read(.jsonl, #"{"text":"[music]"}"#) == [.final("[music]")])
    }

    @Test func partial_isWithdrawn_whenItTurnsOutToBeNoise() {
        var reader = InputFormat.whisperStream.makeReader()
        #expect(reader.feed("\u{1B}[2K\r Mus") == [.partial("Mus")])
        #expect(reader.feed("\u{1B}[2K\r [music]") == [.partial("")])
        #expect(reader.feed("\n") == [])
        #expect(reader.feed("\u{1B}[2K\r Good") == [.partial("Good")])
        #expect(reader.feed("\u{1B}[2K\r (music)\n") == [.partial("")])
    }

    @Test func speakers_getTheirNames_byNumberAndByLabel() {
        let names = { (options: inout InputOptions) in
            options.speakerNames = [
                "1": "Ann", "BOB": "Robert", "Speaker 3": "Cy", "Moderator": "Di",
            ]
        }
        let whisper =
            "[00:00.000 --> 00:01.000]  (speaker 1) a\n[00:01.000 --> 00:02.000]  (speaker 2) b\n"
        #expect(read(.whisper, whisper, names).compactMap(speaker) == ["Ann", "Speaker 2"])
        #expect(
            read(.text, "BOB: a\nModerator: b\nOther: c\n", names).map(speaker) == [
                "Robert", "Di", nil,
            ])
        let json = #"{"text":"a","speaker":"1"}"# + "\n" + #"{"text":"b","speaker":"BOB"}"#
        #expect(read(.jsonl, json, names).compactMap(speaker) == ["Ann", "Robert"])
    }

    private func speaker(_ event: InputEvent) -> String? {
        if case .final(let caption) = event { caption.speaker } else { nil }
    }

    @Test func language_isSet_whereTheInputSaysNone() {
        let json = #"{"text":"a","lang":"de"}"# + "\n" + #"{"text":"b"}"#
        let found = read(.jsonl, json) { $0.language = "en" }
        #expect(
            found == [
                .final(Caption(text: "a", lang: "de")), .final(Caption(text: "b", lang: "en")),
            ])
    }

    @Test(arguments: [
        ("ANN: Hello", "ANN", "Hello"), (">> ANN: Hello", "ANN", "Hello"),
        (">>> ANN: News", "ANN", ">>> News"), ("MARY ANN O'NEIL:  Hi", "MARY ANN O'NEIL", "Hi"),
        ("DR. JÜRGEN ÖZ: Hi", "DR. JÜRGEN ÖZ", "Hi"),
    ])
    func mark_namesTheSpeaker_whenItIsPlain(_ line: String, _ name: String, _ said: String) {
        #expect(read(.text, line + "\n") == [.final(Caption(text: said, speaker: name))])
    }

    @Test(arguments: [
        "Ann: Hello", ">> Hello", ">>> Hello", "NOTE: it is late", "ANN:Hello", "ANN:", "A: Hello",
        "THIS IS NO NAME: Hello", "10: Hello", "HTTP://X: y", ">>", "see ANN: Hello", "K2: high",
    ])
    func line_staysAsItIs_whenItHasNoPlainMark(_ line: String) {
        #expect(read(.text, line + "\n") == [.final(line)])
    }

    @Test func partials_haveTheirSpeaker_too() {
        var reader = InputFormat.text.makeReader()
        #expect(reader.feed("ANN: Hel") == [.partial(Caption(text: "Hel", speaker: "ANN"))])
        #expect(reader.feed("lo\n") == [.final(Caption(text: "Hello", speaker: "ANN"))])
        #expect(reader.feed("next") == [.partial("next")])
    }
}
