import Foundation
import Testing

@testable import BeamscribeCore

/// Where clocks are wrong, the event's order says when lines were said.
@Suite struct EventTimesTests {
    private static let noon = 1_795_219_200.0

    /// A line as it really was.
    private struct Said {
        let log: Int
        let seq: Int
        let at: Int
        let time: Double
    }

    /// How a clock is wrong.
    enum Wrong: CaseIterable, Sendable {
        case dayAhead, dayBehind, thirtyYearsBehind, from1970, jumps, jumpsBack, runsBackwards
        case stands, wild, hugeAhead, hugeBehind

        func clock(_ time: Double, _ seq: Int, of count: Int) -> Double {
            switch self {
            case .dayAhead: time + 86_400
            case .dayBehind: time - 86_400
            case .thirtyYearsBehind: time - 946_000_000
            case .from1970: time - noon
            case .jumps: seq > count / 2 ? time + 86_400 : time
            case .jumpsBack: seq > count / 2 ? time - 90_000 : time
            case .runsBackwards: 2 * noon - time
            case .stands: noon - 500_000
            case .wild: [1e300, -1e300, 0, -1, 4e18][seq % 5]
            case .hugeAhead: 1e300
            case .hugeBehind: -1e300
            }
        }
    }

    /// Speakers in turns, each of whom speaks from the beginning to the end.
    private func event(_ logs: Int, _ count: Int, _ generator: inout SeededGenerator) -> [Said] {
        var (time, counts) = (Self.noon, Array(repeating: 0, count: logs))
        return (1...count).map { at in
            // At the beginning and the end everybody is heard.
            let isEdge = at <= 2 * logs || at > count - 2 * logs
            let log = isEdge ? at % logs : Int.random(in: 0..<logs, using: &generator)
            counts[log] += 1
            time += Double.random(in: 0.2...40, using: &generator)
            return Said(log: log, seq: counts[log], at: at, time: time)
        }
    }

    private func times(
        of said: [Said], _ logs: Int, main: Int?, _ clock: (Said, Int) -> Double
    ) -> EventTimes {
        let lines = (0..<logs).map { log in
            let own = said.filter { $0.log == log }
            return own.map {
                EventTimes.Line(seq: $0.seq, at: $0.at, sent: clock($0, own.count))
            }
        }
        return EventTimes(of: lines, sessions: (0..<logs).map { "\($0)" }, main: main)
    }

    /// Lines whose clock is right keep their times; the others stand between these.
    private func expectOnlyItsOwnMove(
        _ times: EventTimes, _ said: [Said], wrong: Int, _ comment: Comment
    ) {
        var earliest = -Double.infinity
        for (index, line) in said.enumerated() {
            let time = times.time(of: line.seq, in: line.log)
            guard line.log == wrong else {
                #expect(time == nil, comment)
                earliest = line.time
                continue
            }
            let next = said[index...].first { $0.log != wrong }?.time ?? .infinity
            let shown = time ?? line.time
            let slack = time == nil ? EventTimes.tolerance : 0.001
            #expect(shown >= earliest - slack && shown <= next + slack, comment)
        }
    }

    @Test(arguments: Wrong.allCases, 0..<40 as Range<UInt64>)
    func oneWrongClock_movesItsOwnLinesAlone(_ way: Wrong, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let logs = Int.random(in: 3...6, using: &generator)
        let said = event(logs, Int.random(in: 30...150, using: &generator), &generator)
        // Whose clock it is does not matter, be it that of the host.
        let wrong = Int.random(in: 0..<logs, using: &generator)
        let main = Bool.random(using: &generator) ? 0 : nil
        let times = times(of: said, logs, main: main) { line, count in
            line.log == wrong ? way.clock(line.time, line.seq, of: count) : line.time
        }
        expectOnlyItsOwnMove(times, said, wrong: wrong, "\(way), log \(wrong) of \(logs)")
    }

    /// Of two the main one counts.
    @Test(arguments: Wrong.allCases, 0..<20 as Range<UInt64>)
    func mainLog_isRight_whereThereIsOneOther(_ way: Wrong, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let said = event(2, 60, &generator)
        let times = times(of: said, 2, main: 1) { line, count in
            line.log == 0 ? way.clock(line.time, line.seq, of: count) : line.time
        }
        expectOnlyItsOwnMove(times, said, wrong: 0, "\(way)")
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func rightClocks_areLeftAlone(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let logs = Int.random(in: 1...6, using: &generator)
        let said = event(logs, 60, &generator)
        let offsets = (0..<logs).map { _ in Double.random(in: -20...20, using: &generator) }
        for (main, scale) in [(nil, 1), (0, 0.05)] {
            let times = times(of: said, logs, main: main) { line, _ in
                line.time + offsets[line.log] * scale
            }
            for line in said { #expect(times.time(of: line.seq, in: line.log) == nil) }
        }
    }

    /// A clock that is wrong by less than is told to people: ahead, it would push what others say next.
    /// Behind, it would begin the event sooner, and push everything.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func clockThatIsALittleWrong_pushesNobody(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let said = event(3, 60, &generator)
        let errors = said.map { _ in Double.random(in: -30...30, using: &generator) }
        let times = times(of: said, 3, main: 0) { line, _ in
            line.log == 2 ? line.time + errors[line.at - 1] : line.time
        }
        for (index, line) in said.enumerated() {
            let time = times.time(of: line.seq, in: line.log)
            guard line.log == 2 else {
                #expect(time == nil)
                continue
            }
            let next = said[index...].first { $0.log == 0 }?.time ?? .infinity
            let shown = time ?? line.time + errors[index]
            #expect(shown <= next + EventTimes.confirmation)
            let last = said[..<index].last { $0.log == 0 }?.time ?? -.infinity
            #expect(shown >= last - EventTimes.confirmation - 0.001)
            let honest = said[index...].first { $0.log == 1 }?.time ?? .infinity
            if time != nil { #expect(shown <= min(next, honest) + 0.001) }
        }
    }

    /// The event begins with the main log's first line, although the next writer's clock is slow.
    @Test(arguments: [-2.5, -30, -59, -61, -90, -86_400])
    func slowClock_doesNotBeginTheEvent(offset: Double) throws {
        for count in [1, 6] {
            let own = (0...6).map {
                EventTimes.Line(seq: $0 + 1, at: 2 * $0 + 1, sent: Self.noon + Double($0))
            }
            let other = (1...count).map {
                EventTimes.Line(
                    seq: $0, at: 2 * $0, sent: Self.noon + Double($0) - 0.5 + offset)
            }
            let times = EventTimes(of: [own, other], sessions: ["a", "b"], main: 0)
            for line in own { #expect(times.time(of: line.seq, in: 0) == nil) }
            let first = try #require(times.bounds).lowerBound
            #expect(first >= Self.noon - EventTimes.confirmation, "\(first - Self.noon)")
        }
    }

    /// A line before all others was not said before there was the event.
    @Test(arguments: [0, -1e300, 1_700_000_000])
    func firstLine_isNotBeforeTheEvent(sent: Double) throws {
        let own = (1...5).map {
            EventTimes.Line(seq: $0, at: 3 * $0, sent: Self.noon + 10 * Double($0))
        }
        let other = (1...5).map {
            EventTimes.Line(
                seq: $0, at: 3 * $0 - 1, sent: $0 == 1 ? sent : Self.noon + 10 * Double($0) - 3)
        }
        for founded in [Self.noon, nil] {
            let times = EventTimes(
                of: [own, other], sessions: ["a", "b"], main: 0, founded: founded)
            for line in own { #expect(times.time(of: line.seq, in: 0) == nil) }
            let first = try #require(times.first(of: 1))
            let earliest = founded ?? Self.noon + 10 - EventTimes.longestPause
            #expect(first >= earliest && first <= Self.noon + 10, "\(first - Self.noon)")
            for line in other.dropFirst() { #expect(times.time(of: line.seq, in: 1) == nil) }
        }
    }

    /// An offset that stays the same is estimated, so that the log's own pauses stay as they are.
    @Test func constantOffset_isTakenAway() throws {
        var generator = SeededGenerator(seed: 7)
        let said = event(3, 300, &generator)
        let times = times(of: said, 3, main: 0) { line, _ in
            line.log == 1 ? line.time + 86_400 : line.time
        }
        let errors = try said.filter { $0.log == 1 }.map { line in
            try #require(times.time(of: line.seq, in: 1)) - line.time
        }
        #expect(errors.allSatisfy { abs($0) < 40 })
        let spread = (errors.max() ?? 0) - (errors.min() ?? 0)
        #expect(spread < 0.01, "its own pauses are as they were")
    }

    /// Whoever speaks first, or last, and never again is put next to the others where it says that
    /// days are between.
    @Test(arguments: [-86_400.0, 86_400, -946_000_000, -1e300, 1e300])
    func linesAtAnEnd_standNextToTheOthers(_ offset: Double) {
        let own = (1...5).map { EventTimes.Line(seq: $0, at: $0 + 3, sent: Self.noon + Double($0)) }
        for places in [[1, 2, 3], [20, 21, 22]] {
            let other = places.enumerated().map { index, at in
                EventTimes.Line(seq: index + 1, at: at, sent: Self.noon + offset + Double(index))
            }
            let times = EventTimes(of: [own, other], sessions: ["a", "b"], main: 0)
            for line in own { #expect(times.time(of: line.seq, in: 0) == nil) }
            for line in other {
                let time = times.time(of: line.seq, in: 1) ?? line.sent
                #expect(abs(time - Self.noon) < 10, "\(places) \(offset)")
            }
        }
    }

    /// A pause over night is one, where who went on speaks as before.
    @Test func nightBetweenTwoDays_isLeftAlone() {
        var lines: [[EventTimes.Line]] = [[], []]
        for at in 1...40 {
            let day = at > 20 ? 86_400.0 : 0
            lines[at % 2].append(
                EventTimes.Line(
                    seq: lines[at % 2].count + 1, at: at, sent: Self.noon + day + Double(at)))
        }
        let times = EventTimes(of: lines, sessions: ["a", "b"], main: 0)
        for (log, own) in lines.enumerated() {
            for line in own { #expect(times.time(of: line.seq, in: log) == nil) }
        }
    }

    /// Cues stay in order, never begin before the event, and overlap only where they would be more
    /// than four seconds late, whatever the clocks say.
    @Test(arguments: Wrong.allCases, 0..<10 as Range<UInt64>)
    func cues_areInOrder_withinTheEvent(_ way: Wrong, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let said = event(3, 60, &generator)
        let clock = { (line: Said) in
            line.log == 1 ? way.clock(line.time, line.seq, of: 20) : line.time
        }
        let times = times(of: said, 3, main: 0) { line, _ in clock(line) }
        let first = (0..<3).compactMap { times.first(of: $0) }.min() ?? 0
        var exporter = TranscriptExporter(
            .srt,
            of: (0..<3).map { log in
                TranscriptExporter.Log(
                    range: 1...1_000, begins: (times.first(of: log) ?? 0) - first)
            })
        var text = ""
        for line in said {
            text += exporter.text(
                for: TranscriptLine(
                    seq: line.seq, line: "", text: "\(line.at)", sentTimestamp: clock(line),
                    receivedTimestamp: 0, latency: 0),
                of: line.log, at: times.time(of: line.seq, in: line.log))
        }
        text += exporter.end()
        let spans = text.split(separator: "\n").filter { $0.contains("-->") }
        #expect(spans.count == said.count)
        let bounds = spans.map { span in
            span.components(separatedBy: " --> ").map { seconds(String($0.prefix(12))) }
        }
        let length = (said.last?.time ?? 0) - (said.first?.time ?? 0)
        var (begin, end, newest) = (0.0, 0.0, 0.0)
        for (bound, line) in zip(bounds, said) {
            newest = max(newest, (times.time(of: line.seq, in: line.log) ?? clock(line)) - first)
            #expect(bound[0] >= begin && bound[0] >= min(end, newest + 4) - 0.002)
            #expect(bound[1] > bound[0] && bound[1] < length + 200)
            (begin, end) = (bound[0], bound[1])
        }
    }

    private func seconds(_ stamp: String) -> Double {
        let parts = stamp.split { ":,".contains($0) }.compactMap { Double($0) }
        return parts[0] * 3_600 + parts[1] * 60 + parts[2] + parts[3] / 1_000
    }

    // MARK: The recording's times

    /// A recogniser that has run for an hour counts from its own beginning, and a writer can say
    /// any time. Nobody's words are said after their line was sent.
    @Test(arguments: [5.0, 60, 3_600, 1e9], [true, false])
    func timesOfARecording_moveNoOthersCues(_ ahead: Double, _ isExport: Bool) {
        let first = Self.noon
        var exporter = TranscriptExporter(
            .srt, of: [0.0, 10].map { TranscriptExporter.Log(range: 1...1_000, begins: $0) })
        var writer = EventWriter(.srt, subtitles: .ofAllLogs)
        var text = ""
        for number in 0..<20 {
            let isMain = number.isMultiple(of: 2)
            var line = TranscriptLine(
                seq: number / 2 + 1, line: "", text: "x",
                sentTimestamp: first + 10 * Double(number),
                receivedTimestamp: first + 10 * Double(number), latency: 0)
            if !isMain {
                (line.start, line.end) = (
                    10 * Double(number) + ahead, 10 * Double(number) + ahead + 2
                )
            }
            text +=
                isExport
                ? exporter.text(for: line, of: isMain ? 0 : 1)
                : writer.text(for: [isMain ? .line(line) : .inLog(.sample, .line(line))])
        }
        if isExport { text += exporter.end() }
        let stamps = text.split(separator: "\n").filter { $0.contains("-->") }
        let starts = stamps.map { seconds(String($0.prefix(12))) }
        #expect(starts == (0..<20).map { 10 * Double($0) })
    }

    // MARK: As it comes

    /// A file of `join --save` is written while nobody knows what follows.
    @Test(arguments: [7_200.0, 86_400, -86_400, -946_000_000, 1e300, -1e300], 0..<4)
    func wrongClock_movesItsOwnCuesAlone_asTheyCome(_ ahead: Double, _ order: Int) {
        let (isMain, isFirst) = (order < 2, order.isMultiple(of: 2))
        let starts = startsAsTheyCome { number, time in
            let isWrong = number.isMultiple(of: 2) != isFirst
            return (isMain == isWrong, isWrong ? time + ahead : time, time)
        }
        // Next to a time that no calendar has all times are one.
        let step = abs(ahead) < 1e9 ? 10.0 : 0
        #expect(starts.count == 20 && starts == starts.sorted())
        #expect(zip(starts, starts.dropFirst()).allSatisfy { (step...10).contains($1 - $0) })
    }

    /// A reader whose clock is wrong, and one who catches up, have the writers' times.
    @Test(arguments: [7_200.0, -7_200, 86_400, -86_400, 946_000_000], [true, false])
    func readersClock_movesNoCues(_ ahead: Double, _ isMainFirst: Bool) {
        let starts = startsAsTheyCome { number, time in
            (number.isMultiple(of: 2) != isMainFirst, time, time + ahead)
        }
        #expect(starts == (0..<20).map { 10 * Double($0) })
        let set = startsAsTheyCome { number, time in
            (number.isMultiple(of: 2) != isMainFirst, time, time + (number < 9 ? ahead : 0))
        }
        #expect(set == (0..<20).map { 10 * Double($0) })
        let late = startsAsTheyCome { number, time in
            (number.isMultiple(of: 2) != isMainFirst, time, Self.noon + max(ahead, 7_200))
        }
        #expect(late == (0..<20).map { 10 * Double($0) })
    }

    /// Nobody sends a line after it has come: a clock that is fast by less than a minute shows,
    /// too. So it does to a reader whose own clock is ahead of the main log's, or behind.
    @Test(arguments: [10.0, 30, 50, 59], [-1_800.0, -30, 0, 30, 1_800])
    func clockThatIsALittleFast_movesNoCues_asTheyCome(_ ahead: Double, _ readersAhead: Double) {
        for first in [0, 1] {
            let starts = startsAsTheyCome(latency: 0.02) { number, time in
                let isMain = number % 3 != first
                return (isMain, isMain ? time : time + ahead, time + 0.02 + readersAhead)
            }
            #expect(starts.count == 20)
            for (start, due) in zip(starts, (0..<20).map { 10 * Double($0) }) {
                #expect(abs(start - due) < 0.1, "\(first): \(starts)")
            }
        }
    }

    /// Lines of the past are written together, in the event's order, which shows as much.
    @Test(arguments: [10.0, 30, 50], 0..<20 as Range<UInt64>)
    func clockThatIsALittleFast_movesNoCues_ofTheHistory(_ ahead: Double, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var writer = EventWriter(.srt, subtitles: .ofAllLogs)
        let isMain = (0..<40).map { $0 == 0 || Bool.random(using: &generator) }
        let events = isMain.enumerated().map { number, isMain in
            let time = Self.noon + 10 * Double(number)
            let event = GuestEvent.line(
                TranscriptLine(
                    seq: number + 1, line: "", text: "x",
                    sentTimestamp: isMain ? time : time + ahead,
                    receivedTimestamp: Self.noon + 7_200, latency: 3_600))
            return isMain ? event : .inLog(.sample, event)
        }
        let stamps = writer.text(for: events).split(separator: "\n").filter { $0.contains("-->") }
        #expect(stamps.count == 40)
        for (number, stamp) in stamps.enumerated() where isMain[number] {
            #expect(seconds(String(stamp.prefix(12))) - 10 * Double(number) <= 4)
        }
    }

    /// When the cues of 20 lines begin, one each 10 s.
    ///
    /// - Parameters:
    ///   - latency: how late they are, with the difference of the clocks taken out.
    ///   - line: whether the main log has said it, when by its clock, and when by the reader's, of
    ///     a line by its number and when that was really said.
    private func startsAsTheyCome(
        latency: Double = 0,
        _ line: (Int, Double) -> (isMain: Bool, sent: Double, received: Double)
    ) -> [Double] {
        var writer = EventWriter(.srt, subtitles: .ofAllLogs)
        var starts: [Double] = []
        for number in 1...20 {
            let said = line(number, Self.noon + 10 * Double(number))
            let event = GuestEvent.line(
                TranscriptLine(
                    seq: number, line: "", text: "x", sentTimestamp: said.sent,
                    receivedTimestamp: said.received, latency: latency))
            let text = writer.text(for: [said.isMain ? event : .inLog(.sample, event)])
            let stamps = text.split(separator: "\n").filter { $0.contains("-->") }
            starts += stamps.map { seconds(String($0.prefix(12))) }
        }
        return starts
    }
}
