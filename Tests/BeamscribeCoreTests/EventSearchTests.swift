import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// Lines are found in all logs that a host writes, in the event's order.
@Suite struct EventSearchTests {
    private let now = Moment(uptime: .zero, wall: 0)
    private let logs: [EventLog]
    private let publishers: [Publisher]

    init() {
        let order = EventOrder()
        logs = (0..<3).map { _ in
            EventLog(session: UUID(), in: order, now: Moment(uptime: .zero, wall: 0))
        }
        publishers = logs.map { Publisher(into: $0) }
    }

    private func found(_ wanted: String, before limit: Int = .max, lines: Int) -> [[RecentLines
        .Line]]
    {
        var search = EventSearch(for: wanted, before: limit)
        var all: [[RecentLines.Line]] = []
        while !search.isOver {
            search.look(at: logs, lines: lines)
            all.append(search.found)
        }
        return all
    }

    /// Wherever the stretches end nothing is told before what is newer.
    @Test(arguments: 0..<30 as Range<UInt64>)
    func lines_areFoundTheNewestFirst(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for number in 1...60 {
            let index = Int.random(in: 0...2, using: &generator)
            publishers[index].publish(final: Caption(text: "line \(number)"), now: now)
        }
        let limit = Int.random(in: 1...61, using: &generator)
        let due = (1..<limit).reversed().map { "line \($0)" }
        let steps = found("line", before: limit, lines: Int.random(in: 1...9, using: &generator))
        for step in steps { #expect(step.map(\.text) == Array(due.prefix(step.count))) }
        #expect(steps.last?.map(\.text) == due)
        for line in steps.last ?? [] {
            let log = line.log.map { name in logs.firstIndex { $0.session.wireName == name } } ?? 0
            #expect(log.map { logs[$0].final(line.seq)?.text } == line.text && log != nil)
        }
    }

    @Test func newestLines_haveTheirPlaces_asSaidAndAsReadAgain() {
        for index in [1, 1, 0] { publishers[index].publish(final: Caption(text: "x"), now: now) }
        for publisher in [publishers[0], Publisher(into: logs[0])] {
            #expect(publisher.recent.newest.map(\.at) == [3])
            #expect(publisher.recent.newest.map(\.seq) == [1])
        }
    }

    @Test func correction_isFoundInItsOwnLog() {
        publishers[0].publish(final: Caption(text: "one"), now: now)
        publishers[1].publish(final: Caption(text: "uno", speaker: "Ann"), now: now)
        #expect(publishers[1].correct(1, text: "una", now: now) == 2)
        let all = found("", lines: 50).last ?? []
        #expect(all.map(\.text) == ["una", "one"] && all.map(\.at) == [2, 1])
        #expect(all.map(\.log) == [logs[1].session.wireName, nil] && all[0].speaker == "Ann")
        #expect(found("uno", lines: 50).last == [])
    }

    @Test func mark_isOfTheLogWithTheNewestLine_andToldByTheMainOne() {
        publishers[1].publish(final: Caption(text: "uno", speaker: "Ann"), now: now)
        #expect(logs[1].lastPlace == 1 && logs[0].lastPlace == 0)
        #expect(publishers[1].mark(now: now, tellingIn: logs[0]) == 1)
        #expect(publishers[1].mark(now: now, tellingIn: logs[0]) == nil)
        #expect(logs[1].marks.map(\.after) == [1] && logs[0].marks.isEmpty)
        let told = logs[0].alerts(after: 0).map { String(decoding: $0, as: UTF8.self) }
        #expect(told.count == 1 && told[0].contains("Ann: uno"))
    }
}
