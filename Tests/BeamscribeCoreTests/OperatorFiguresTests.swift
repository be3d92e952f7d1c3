import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// The figures and lists that an operator is shown.
@Suite struct OperatorFiguresTests {
    @Test func throughput_isOfTheLastMinute() {
        var throughput = Throughput()
        throughput.note("three little words", at: .seconds(10))
        throughput.note("  and  two ", at: .seconds(10) + .milliseconds(999))
        throughput.note("", at: .seconds(40))
        #expect(throughput.wordsPerMinute(at: .seconds(40)) == 5)
        #expect(throughput.linesPerMinute(at: .seconds(69)) == 3)
        #expect(throughput.wordsPerMinute(at: .seconds(70)) == 0)
        #expect(throughput.linesPerMinute(at: .seconds(99)) == 1)
        #expect(throughput.linesPerMinute(at: .seconds(100)) == 0)
    }

    @Test func throughput_isThatOfAPlainList_whateverIsSaid() {
        var generator = SeededGenerator(seed: 3)
        var throughput = Throughput()
        var said: [(second: Int, words: Int)] = []
        var now = 1_000
        for _ in 0..<5_000 {
            now += [0, 0, 0, 1, 2, 30, 61].randomElement(using: &generator)!
            let words = Int.random(in: 0...9, using: &generator)
            throughput.note(
                Array(repeating: "wörd", count: words).joined(separator: " "), at: .seconds(now))
            said.append((now, words))
            let recent = said.suffix(5_000).filter { $0.second > now - 60 }
            #expect(throughput.linesPerMinute(at: .seconds(now)) == recent.count)
            #expect(
                throughput.wordsPerMinute(at: .seconds(now)) == recent.reduce(0) { $0 + $1.words })
        }
    }

    /// Lines and corrections at random, against every line with its newest words.
    @Test(arguments: 0..<50)
    func recentLines_areTheNewest_withTheirCorrections(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(clamping: seed))
        let room = VirtualRoom(seed: UInt64(clamping: seed))
        var texts: [(seq: Int, text: String)] = []
        var roots: [Int: Int] = [:]
        for seq in 1...300 {
            let text = "text \(seq)"
            // What is still shown can be corrected, by its own number or by a correction's.
            let shown = texts.suffix(Limits.recentLines / 2).map(\.seq)
            let target = roots.filter { shown.contains($0.value) }.keys.sorted()
                .randomElement(using: &generator)
            if let target, Bool.random(using: &generator) {
                room.host.publisher.publish(
                    final: Caption(text: text, replaces: target), now: room.now)
                roots[seq] = roots[target]
                texts[texts.firstIndex { $0.seq == roots[target] }!].text = text
            } else {
                room.say(text)
                texts.append((seq, text))
                roots[seq] = seq
            }
            let newest = room.host.publisher.recent.newest
            #expect(newest.map(\.text) == texts.suffix(Limits.recentLines).map(\.text))
            #expect(newest.map(\.seq) == texts.suffix(Limits.recentLines).map(\.seq))
        }
    }

    @Test func marks_areKeptInTheRecord_andAreNotTooMany() throws {
        var record = SessionRecord(
            session: UUID().wireName, eventName: "Town Hall", deviceName: "stage", started: 5)
        #expect(!String(decoding: record.json, as: UTF8.self).contains("marks"))
        let room = VirtualRoom()
        for number in 1...Limits.marks + 3 {
            room.say("line")
            #expect(room.host.publisher.mark(now: room.now) == number)
            #expect(room.host.publisher.mark(now: room.now) == nil)
        }
        record.marks = room.host.log.marks
        let read = try #require(SessionRecord(json: record.json))
        #expect(read == record && read.marks?.count == Limits.marks && read.marks?[0].after == 4)
    }

    private func export(_ format: TranscriptFormat, _ range: ClosedRange<Int>) -> String {
        let marks = [0, 2, 2, 3].map { SessionRecord.Mark(after: $0, time: 7) }
        var exporter = TranscriptExporter(format, range: range, marks: marks)
        let lines = (1...3).map { seq in
            TranscriptLine(
                seq: seq, line: "l", text: "line \(seq)", sentTimestamp: Double(10 * seq),
                receivedTimestamp: 0, latency: 0)
        }
        return lines.map { exporter.text(for: $0) }.joined() + exporter.end()
    }

    @Test func marks_standWhereTheyWereMade_inAnExport() {
        /// What the rows of an export are about: lines and marks, by their numbers.
        func rows(_ text: String) -> [String] {
            text.split(separator: "\n").compactMap { row in
                if row.contains("NOTE") { return "mark " + row.suffix(1) }
                if let after = row.firstMatch(of: /"after":(\d)/) {
                    return "mark \(after.output.1)"
                }
                return row.firstMatch(of: /line \d/).map { String($0.output) }
            }
        }
        let all = ["mark 0", "line 1", "line 2", "mark 2", "mark 2", "line 3", "mark 3"]
        for format in [TranscriptFormat.vtt, .jsonl] {
            #expect(rows(export(format, 1...Int.max)) == all)
            #expect(rows(export(format, 2...2)) == ["line 2", "mark 2", "mark 2"])
        }
        for format in [TranscriptFormat.text, .srt] {
            #expect(rows(export(format, 1...Int.max)) == ["line 1", "line 2", "line 3"])
        }
        #expect(export(.jsonl, 1...1).hasPrefix(#"{"after":0,"time":7"#))
    }

    @Test func corrections_areRemembered_asManyAsThereIsRoomFor() {
        var recent = RecentLines()
        recent.note(1, LiveChunk(final: 1, line: "a", text: "x", sentTimestamp: 1))
        for seq in 2...Limits.correctableLines + 2 {
            var correction = LiveChunk(final: seq, line: "a", text: "\(seq)", sentTimestamp: 1)
            correction.replaces = 1
            recent.note(seq, correction)
        }
        let last = Limits.correctableLines + 2
        #expect(recent.newest.map(\.text) == ["\(last)"])
        #expect(recent.root(of: last) == 1 && recent.root(of: 2) == 2, "the first are forgotten")
    }
}
