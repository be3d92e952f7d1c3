import Testing

@testable import BeamscribeCore

@Suite struct ExporterTests {
    @Test func text_isOneLineEach_withItsSpeaker() {
        var writer = EventWriter(.text)
        var line = self.line(1, "hello")
        line.speaker = "Ann"
        let partial = GuestEvent.partial(PartialLine(line: "l", text: "x"))
        #expect(writer.text(for: [.line(line), partial]) == "Ann: hello\n")
        #expect(writer.text(for: [.line(self.line(2, "there"))]) == "there\n")
    }

    /// Whose log is called by his name says it once.
    @Test func name_isSaidOnce_whereTheLogIsCalledSo() {
        let (ann, room) = (LogTitle.sample("Ann"), LogTitle.sample)
        #expect(ann.name(of: "Ann") == "Ann" && ann.name(of: nil) == "Ann")
        #expect(ann.name(of: "Bob") == "Ann · Bob" && room.name(of: "Ann") == "Room 2 · Ann")
        var said = line(1, "hello")
        said.speaker = "Ann"
        var correction = line(2, "hallo")
        (correction.speaker, correction.replaces) = ("Ann", 1)
        var text = EventWriter(.text)
        let written = text.text(for: [
            .inLog(ann, .line(said)), .inLog(ann, .line(correction)), .inLog(room, .line(said)),
            .inLog(ann, .line(line(3, "who?"))),
        ])
        #expect(written.hasPrefix("Ann: hello\n[Ann] "), "\(written)")
        #expect(written.hasSuffix("\n[Room 2] Ann: hello\n[Ann] who?\n"), "\(written)")
        var exporter = TranscriptExporter(.text, of: [.init(ann, range: 1...9)])
        #expect(exporter.text(for: said) == "Ann: hello\n")
    }

    /// On a pipe subtitles are of what the event's host writes.
    @Test func srt_hasWhatTheHostHears_andNoOthersWords() {
        var joined = JoinedEvent(
            eventName: "Town Hall", deviceName: "stage", session: "main", history: 0)
        joined.writer = LogTitle.sample.writer
        var (said, other, german) = (line(1, "hello"), LogTitle.sample, LogTitle.sample)
        said.speaker = "Ann"
        other.writer = Fingerprint(bytes: [UInt8](repeating: 8, count: 32)) ?? other.writer
        german.translates = "main"
        var writer = EventWriter(.srt)
        let written = writer.text(for: [
            .joined(joined), .inLog(other, .line(said)), .inLog(german, .line(said)),
            .inLog(.sample("Ann"), .line(said)),
        ])
        #expect(written == "1\n00:00:00,000 --> 00:00:01,000     \nAnn: hello\n\n", "\(written)")
    }

    @Test func withdrawnLine_isToldAsSuch_orIsNotThere() {
        var (first, second) = (line(1, "one"), line(2, ""))
        (first.speaker, second.replaces) = ("Ann", 1)
        var text = EventWriter(.text)
        #expect(
            text.text(for: [.line(first), .line(second)]) == "Ann: one\n(line 1 is withdrawn)\n")
        for format in [TranscriptFormat.text, .srt] {
            var exporter = TranscriptExporter(format, range: 1...9)
            let written = exporter.text(for: first.corrected(by: second)) + exporter.end()
            #expect(written == "")
        }
    }

    @Test func srt_numbersCues_andTimesThemByArrival() {
        var writer = EventWriter(.srt)
        let text = writer.text(for: [
            .line(line(5, "one", at: 100)), .line(line(6, "two", at: 103.5)),
        ])
        #expect(
            text == """
                1
                00:00:00,000 --> 00:00:01,000\("     ")
                one

                2
                00:00:03,500 --> 00:00:04,500
                two


                """)
    }

    @Test func vtt_escapesMarkup_andNamesTheSpeaker() {
        var writer = EventWriter(.vtt)
        var line = self.line(1, "1 < 2 & 3 --> 4")
        (line.speaker, line.start, line.end) = ("Ann", 3_661.5, 3_665)
        #expect(
            writer.text(for: [.line(line)]) == """
                WEBVTT

                NOTE Written by beamscribe

                1
                01:01:01.500 --> 01:01:05.000
                <v Ann>1 &lt; 2 &amp; 3 --&gt; 4


                """)
    }

    /// To a player a sign is the sign, whatever combines with it.
    @Test(arguments: [true, false])
    func markup_isEscaped_besideWhateverCombinesWithIt(isVTT: Bool) {
        let vtt = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "-->": "--&gt;"]
        let srt = ["&": "&", "<": "<\u{2060}", ">": ">", "-->": "--\u{2060}>"]
        let braces = ["{": "\u{2774}", "}": "\u{2775}"]
        let escaped = (isVTT ? vtt : srt).merging(braces) { _, brace in brace }
        for companion in ["\u{0301}", "\u{0600}", "\u{06DD}", "\u{110BD}", "\u{FE0F}", "\u{200D}"] {
            for (sign, written) in escaped {
                for (before, after) in [(companion, ""), ("", companion), (companion, companion)] {
                    var writer = SubtitleWriter(isVTT: isVTT)
                    let cue = writer.cues(line(1, "a\(before)\(sign)\(after)b"))
                    let text = "\na\(before)\(written)\(after)b\n\n"
                    #expect(Array(cue.utf8.suffix(text.utf8.count)) == Array(text.utf8))
                }
            }
        }
    }

    @Test(arguments: ["-->", "--->", "----->>", "-->-->", "--\u{0301}-->", "->->"])
    func noArrow_isLeftInSubRip(dashes: String) {
        var writer = SubtitleWriter(isVTT: false)
        let cue = Array(writer.cues(line(1, "a \(dashes) b")).utf8)
        let arrows = cue.indices.filter { cue[$0...].starts(with: "-->".utf8) }
        #expect(arrows.count == 1)
        #expect(cue.contains(UInt8(ascii: ">")))
    }

    @Test func longLine_becomesCues_ofTwoRows() {
        var writer = SubtitleWriter(isVTT: false)
        let words = String(repeating: "word ", count: 20)
        let cues = writer.cues(line(1, words)).split(separator: "\n\n")
        #expect(cues.count == 2)
        for cue in cues {
            let rows = cue.split(separator: "\n").dropFirst(2)
            #expect(rows.count == 2 && rows.allSatisfy { $0.count <= 42 })
        }
    }

    @Test func jsonl_saysEverything_inOneLineEach() {
        var writer = EventWriter(.jsonl)
        let text = writer.text(for: [
            .state(.live), .gap(from: 1, through: 2), .alert(kind: "ended", message: "over"),
            .partial(PartialLine(line: "l-1", text: "hel")), .trouble("not for readers"),
        ])
        #expect(
            text == """
                {"state":"live","type":"state"}
                {"from":1,"through":2,"type":"gap"}
                {"kind":"ended","message":"over","type":"alert"}
                {"line":"l-1","text":"hel","type":"partial"}

                """)
    }

    @Test func stats_sayWhatIsKnown() {
        var writer = EventWriter(.jsonl)
        let unknown = GuestStatistics(
            lines: 0, applied: nil, connectionAge: nil, reconnects: 0, latency: nil)
        let known = GuestStatistics(
            lines: 4, applied: 9, connectionAge: 12.5, reconnects: 1,
            latency: LatencyPercentiles(p50: 0.25, p95: 0.5))
        #expect(
            writer.text(for: [.stats(unknown), .stats(known)]) == """
                {"lines":0,"reconnects":0,"type":"stats"}
                {"applied":9,"connectionAge":12.5,"latencyP50":0.25,"latencyP95":0.5,"lines":4,"reconnects":1,"type":"stats"}

                """)
        var text = EventWriter(.text)
        #expect(text.text(for: [.stats(known)]) == "")
    }

    @Test func format_comesFromTheEnding() {
        #expect(TranscriptFormat(forFile: "a/b.SRT") == .srt)
        #expect(TranscriptFormat(forFile: "b.vtt") == .vtt)
        #expect(TranscriptFormat(forFile: "x.jsonl") == .jsonl)
        #expect(TranscriptFormat(forFile: "srt/notes") == .text)
        #expect(TranscriptFormat(forFile: "") == .text)
    }

    private func line(_ seq: Int, _ text: String, at time: Double = 0) -> TranscriptLine {
        TranscriptLine(
            seq: seq, line: "l-\(seq)", text: text, sentTimestamp: time, receivedTimestamp: time,
            latency: 0)
    }
}
