import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// Lines of any age are found as readers see them, and counted as readers count them.
@Suite struct LineSearchTests {
    private let log = EventLog(session: UUID(), now: Moment(uptime: .zero, wall: 0))
    private let publisher: Publisher
    private let now = Moment(uptime: .zero, wall: 0)

    init() {
        publisher = Publisher(into: log)
        for number in 1...1_000 {
            publisher.publish(final: Caption(text: "line \(number) of it"), now: now)
        }
    }

    private func find(_ text: String, before limit: Int = .max) -> RecentLines.Line? {
        var search = LineSearch(for: text, before: limit)
        while search.found.isEmpty, !search.isOver { search.look(at: log) }
        return search.found.first
    }

    @Test func line_isFound_howeverOldItIs_theNewestFirst() {
        #expect(find("LINE 7 OF")?.seq == 7)
        #expect(find("99")?.seq == 99 && find("4321") == nil)
        #expect(find("of it")?.seq == 1_000)
        #expect(find("of it", before: 1_000)?.seq == 999)
        #expect(find("no such words") == nil)
        #expect(find("", before: 3)?.seq == 2 && find("", before: 1) == nil)
    }

    @Test func line_isFoundAsItIsNow_whenItWasCorrected() {
        #expect(publisher.correct(7, text: "lucky seven", speaker: "Ann", now: now) == 1_001)
        #expect(publisher.correct(1_001, text: "unlucky seven", now: now) == 1_002)
        let found = find("unlucky")
        #expect(found?.seq == 7 && found?.text == "unlucky seven" && found?.isCorrected == true)
        #expect(find("line 7 of") == nil && find("lucky seven", before: 7) == nil)
    }

    @Test func lines_areCountedAsReadersDo() {
        #expect(publisher.saidLines == 1_000)
        #expect(publisher.correct(2, text: "two", now: now) == 1_001)
        #expect(publisher.recent.newest.last?.seq == 1_000, "it is none of the newest")
        #expect(publisher.correct(1_000, text: " ", now: now) == 1_002)
        #expect(publisher.saidLines == 1_000 && Publisher(into: log).saidLines == 1_000)
        #expect(publisher.recent.newest.last?.isWithdrawn == true)
        #expect(publisher.wording(of: 1_000) == "(withdrawn)")
        #expect(publisher.correct(1_003, text: "", now: now) == nil)
    }
}
