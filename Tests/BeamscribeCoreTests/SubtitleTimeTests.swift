import BeamscribeCore
import Foundation
import Testing

@Suite struct SubtitleTimeTests {
    @Test(arguments: [TranscriptFormat.srt, .vtt])
    func exportedCues_lastASecond_andNeverOverlap(_ format: TranscriptFormat) throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<120 {
            let lines = randomLines(using: &generator)
            var exporter = TranscriptExporter(format, range: 1...Int.max)
            let text =
                exporter.header + lines.map { exporter.text(for: $0) }.joined() + exporter.end()
            let cues = try SubtitleCue.cues(in: text)
            check(cues)
            #expect(zip(cues, cues.dropFirst()).allSatisfy { $0.end <= $1.start })
            checkTexts(cues, lines, format)
        }
    }

    @Test(arguments: [TranscriptFormat.srt, .vtt])
    func broadcastCues_lastASecond_andComeInOrder(_ format: TranscriptFormat) throws {
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<120 {
            let lines = randomLines(using: &generator)
            var writer = EventWriter(format)
            let text = lines.map { writer.text(for: [.line($0)]) }.joined()
            let cues = try SubtitleCue.cues(in: text)
            check(cues)
            #expect(zip(cues, cues.dropFirst()).allSatisfy { $0.start + 1_000 <= $1.start })
            checkTexts(cues, lines, format)
        }
    }

    @Test(arguments: [TranscriptFormat.srt, .vtt])
    func writer_goesOnInAFile_asIfItHadNotStopped(_ format: TranscriptFormat) throws {
        var generator = SeededGenerator(seed: 9)
        let lines = randomLines(using: &generator)
        var whole = EventWriter(format)
        let expected = lines.map { whole.text(for: [.line($0)]) }.joined()
        var text = ""
        var progress: EventWriter.Progress?
        for line in lines {
            var writer = EventWriter(format, after: progress)
            text += writer.text(for: [.line(line)])
            let json = try JSONEncoder().encode(writer.progress)
            progress = try JSONDecoder().decode(EventWriter.Progress.self, from: json)
        }
        #expect(text == expected)
    }

    private func check(_ cues: [SubtitleCue]) {
        #expect(cues.map(\.number) == Array(1..<cues.count + 1))
        #expect(cues.allSatisfy { $0.end - $0.start >= 1_000 })
        #expect(cues.allSatisfy { (1...2).contains($0.rows.count) })
        let rows = cues.flatMap(\.rows)
        #expect(rows.allSatisfy { !$0.contains("-->") && !$0.isEmpty })
    }

    /// All that was said is there, in order.
    private func checkTexts(
        _ cues: [SubtitleCue], _ lines: [TranscriptLine], _ format: TranscriptFormat
    ) {
        let said = lines.map { format == .vtt ? $0.text : $0.spokenText }
        let shown = cues.flatMap(\.rows).map { row in
            guard format == .vtt else { return SubtitleEscaping.subRip.restored(row) }
            let text = row.replacing(/<v [^>]*>/, with: "").replacing("&lt;", with: "<")
                .replacing("&gt;", with: ">").replacing("&amp;", with: "&")
            return SubtitleEscaping.webVTT.restored(text)
        }
        #expect(
            CaptionText.withoutBlanks(shown.joined()) == CaptionText.withoutBlanks(said.joined()))
    }

    private func randomLines(using generator: inout SeededGenerator) -> [TranscriptLine] {
        var time = 1e9
        return (1...Int.random(in: 1...30, using: &generator)).map { seq in
            time += Double.random(in: -1...12, using: &generator)
            var line = captionLine(
                seq, CaptionText.line(using: &generator, upTo: seq % 7 == 0 ? 90 : 12), at: time)
            if Bool.random(using: &generator) {
                line.speaker = ["Ann", "Bo <b>", "健"].randomElement()
            }
            if Bool.random(using: &generator) {
                line.start = Double.random(in: -5...5, using: &generator) + time - 1e9
                line.end = Bool.random(using: &generator) ? line.start! + 2.5 : nil
            }
            if Int.random(in: 0...9, using: &generator) == 0 { line.start = 1e12 }
            return line
        }
    }

    // MARK: Single times

    private func export(_ lines: [TranscriptLine], _ range: ClosedRange<Int> = 1...Int.max) throws
        -> [SubtitleCue]
    {
        var exporter = TranscriptExporter(.srt, range: range)
        return try SubtitleCue.cues(
            in: lines.map { exporter.text(for: $0) }.joined() + exporter.end())
    }

    @Test func cue_endsWithTheReadingTime_orWhenTheNextBegins() throws {
        let sixty = String(repeating: "word ", count: 12)
        let cues = try export([
            captionLine(1, sixty, at: 100), captionLine(2, sixty, at: 102),
            captionLine(3, "short", at: 102.4), captionLine(4, "end", at: 200),
        ])
        #expect(cues.map(\.start) == [0, 2_000, 3_000, 100_000])
        #expect(cues.map(\.end) == [2_000, 3_000, 4_000, 101_000])
    }

    @Test func longLine_isDividedAsItsTextIs() throws {
        var line = captionLine(1, String(repeating: "word ", count: 50), at: 0)
        (line.start, line.end) = (10, 40)
        let cues = try export([line])
        #expect(cues.count == 4 && cues[0].start == 10_000 && cues[3].end == 40_000)
        for (cue, next) in zip(cues, cues.dropFirst()) { #expect(cue.end == next.start) }
        let rates = cues.map { Double($0.rows.joined().count) / Double($0.end - $0.start) }
        #expect(rates.max()! / rates.min()! < 1.2)
    }

    @Test func times_countFromTheSessionsFirstLine_whenOnlySomeAreExported() throws {
        let lines = (1...4).map { captionLine($0, "line \($0)", at: 50 + Double($0) * 10) }
        let cues = try export(lines, 3...3)
        #expect(cues == [SubtitleCue(number: 1, start: 20_000, end: 21_000, rows: ["line 3"])])
    }

    @Test func starts_goOn_whenTheRecogniserBeginsAnew() throws {
        let sent = [0.0, 100, 4_000, 4_010]
        let starts = [1.0, 101, 2, 12]
        let lines = zip(sent, starts).enumerated().map { index, times in
            var line = captionLine(index + 1, "line", at: times.0)
            line.start = times.1
            return line
        }
        #expect(try export(lines).map(\.start) == [1_000, 101_000, 4_001_000, 4_011_000])
    }

    @Test func arrow_isNoArrow_howeverLongItIs() throws {
        let cue = try export([captionLine(1, "a ----> b --> c", at: 0)])
        #expect(cue[0].rows == ["a ----\u{2060}> b --\u{2060}> c"])
    }
}

/// A line of which nothing else is known.
func captionLine(_ seq: Int, _ text: String, at time: Double = 0) -> TranscriptLine {
    TranscriptLine(
        seq: seq, line: "l-\(seq)", text: text, sentTimestamp: time, receivedTimestamp: time,
        latency: 0)
}
