import Foundation
import Testing

@testable import BeamscribeCore

/// Subtitles of events in which more is said than can be shown.
@Suite struct SubtitleLagTests {
    /// A line of the main log, or of another log of the event.
    private struct Said {
        var isMain: Bool
        var text: String
        /// In seconds.
        var time: Double
    }

    enum Way: CaseIterable, Sendable {
        case export, save
    }

    /// The cues of an event, as an export or a file of `join --save` has them.
    private func cues(_ said: [Said], _ way: Way) throws -> [SubtitleCue] {
        switch way {
        case .export: try exported(said)
        case .save: try saved(said)
        }
    }

    private func exported(_ said: [Said]) throws -> [SubtitleCue] {
        let first = said.first?.time ?? 0
        let isMerged = said.contains { !$0.isMain }
        let logs = (isMerged ? [true, false] : [true]).map { isMain in
            let begin = said.first { $0.isMain == isMain }?.time ?? first
            return TranscriptExporter.Log(range: 1...Int.max, begins: begin - first)
        }
        var exporter = TranscriptExporter(.srt, of: logs)
        var text = ""
        for (line, isMain) in lines(said) {
            text += exporter.text(for: line, of: isMain ? 0 : 1)
        }
        return try SubtitleCue.cues(in: text + exporter.end())
    }

    private func saved(_ said: [Said]) throws -> [SubtitleCue] {
        var progress: EventWriter.Progress?
        var text = ""
        for (line, isMain) in lines(said) {
            var writer = EventWriter(.srt, after: progress, subtitles: .ofAllLogs)
            text += writer.text(for: [isMain ? .line(line) : .inLog(.sample, .line(line))])
            // Another guest goes on in the file after each line.
            let json = try JSONEncoder().encode(writer.progress)
            progress = try JSONDecoder().decode(EventWriter.Progress.self, from: json)
        }
        return try SubtitleCue.cues(in: text)
    }

    private func lines(_ said: [Said]) -> [(TranscriptLine, isMain: Bool)] {
        var numbers = [true: 0, false: 0]
        return said.map { said in
            numbers[said.isMain, default: 0] += 1
            return (
                captionLine(
                    numbers[said.isMain] ?? 0, said.text, at: 1_795_219_200 + said.time),
                said.isMain
            )
        }
    }

    private func start(of text: String, in cues: [SubtitleCue]) throws -> Int {
        try #require(cues.first { $0.rows[0].hasSuffix(text) }).start
    }

    private func expectInOrder(_ cues: [SubtitleCue], _ count: Int) {
        #expect(cues.count == count)
        #expect(zip(cues, cues.dropFirst()).allSatisfy { $0.start <= $1.start })
        #expect(cues.allSatisfy { $0.end - $0.start >= 1_000 })
    }

    /// Three captioners, each with a line every two seconds: three lines in two seconds.
    @Test(arguments: Way.allCases)
    func cues_areFourSecondsLateAtMost_howeverLongThatGoesOn(_ way: Way) throws {
        let said = (0..<600).map { number in
            Said(
                isMain: number.isMultiple(of: 3), text: "line \(number)",
                time: 2 * Double(number) / 3)
        }
        let cues = try cues(said, way)
        expectInOrder(cues, said.count)
        for (cue, line) in zip(cues, said) {
            let late = cue.start - Int(saturating: (line.time * 1_000).rounded())
            #expect((0...4_000).contains(late), "\(line.text)")
        }
        #expect(cues[300].start - 200_000 == 4_000, "the room is used")
    }

    /// One says 300 lines at once. The main log goes on with a line a second.
    @Test(arguments: Way.allCases)
    func burst_movesTheOthersByFourSecondsAtMost_andNothingIsLost(_ way: Way) throws {
        var said = (0...5).map { Said(isMain: true, text: "host \($0)", time: Double($0)) }
        said += (0..<300).map { Said(isMain: false, text: "burst \($0)", time: 5.5) }
        said += (6...20).map { Said(isMain: true, text: "host \($0)", time: 1.5 * Double($0) - 3) }
        let cues = try cues(said, way)
        expectInOrder(cues, said.count)
        #expect(try (0...5).map { try start(of: "host \($0)", in: cues) / 1_000 } == Array(0...5))
        #expect(try start(of: "host 6", in: cues) == 10_000)
        #expect(try start(of: "burst 299", in: cues) == 9_500)
        #expect(try start(of: "host 20", in: cues) == 27_000, "it has caught up")
    }

    /// The same in one log alone, as where somebody pastes a text.
    @Test(arguments: Way.allCases)
    func burstOfOneLog_isOverAfterAMinute(_ way: Way) throws {
        let text = String(repeating: "word ", count: 20)
        var said = (0..<300).map { Said(isMain: true, text: text + "\($0)", time: 0) }
        said.append(Said(isMain: true, text: "soon", time: 5))
        said.append(Said(isMain: true, text: "later", time: 100))
        let cues = try cues(said, way)
        expectInOrder(cues, cues.count)
        #expect(cues.prefix(60).map(\.start).allSatisfy { $0 < 70_000 })
        #expect(try (60_000...75_000).contains(start(of: "soon", in: cues)))
        #expect(try start(of: "later", in: cues) == 100_000)
    }

    /// A line of a hundred cues is somebody else's burst.
    @Test(arguments: Way.allCases)
    func longLine_keepsNoOtherLogWaiting(_ way: Way) throws {
        let long = String(repeating: "word ", count: 1_600)
        let said = [
            Said(isMain: true, text: "one", time: 0), Said(isMain: false, text: long, time: 2),
            Said(isMain: true, text: "two", time: 3), Said(isMain: true, text: "three", time: 20),
        ]
        let cues = try cues(said, way)
        expectInOrder(cues, cues.count)
        let words = cues.flatMap(\.rows).joined(separator: " ").matches(of: /word/)
        #expect(words.count == 1_600)
        #expect(try start(of: "two", in: cues) <= 7_000)
        #expect(try start(of: "three", in: cues) == 20_000)
    }

    /// One log's long line takes the time that its words need.
    @Test func longLineOfOneLog_isReadInItsTime_asItComes() throws {
        let long = String(repeating: "word ", count: 48)
        let said = [
            Said(isMain: true, text: long, time: 0), Said(isMain: true, text: "two", time: 3),
        ]
        let cues = try saved(said)
        #expect(cues.map(\.start) == [0, 5_200, 10_400, 11_400])
    }
}
