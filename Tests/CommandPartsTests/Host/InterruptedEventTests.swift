import BeamscribeCore
import FoundationEssentials
import Testing

@testable import BeamscribeCommand
@testable import BeamscribeIO

@Suite struct InterruptedEventTests {
    private static let now = 1_800_000_000.0

    private func entry(
        _ name: String = "Town Hall", minutes: Double = 3, size: UInt64 = 100,
        isInUse: Bool = false, _ change: (inout SessionRecord) -> Void = { _ in }
    ) -> SessionEntry {
        let modified = Self.now - minutes * 60
        var record = SessionRecord(
            session: UUID().wireName, eventName: name, deviceName: "stage", started: modified - 600)
        change(&record)
        return SessionEntry(record: record, isInUse: isInUse, size: size, modified: modified)
    }

    private func find(_ entries: SessionEntry...) -> InterruptedEvent? {
        InterruptedEvent(named: "Town Hall", among: entries, now: Self.now)
    }

    @Test func event_isFound_whereItDidNotEndWithinTheHour() {
        let crashed = entry()
        #expect(find(entry("Other", minutes: 1), crashed)?.session == crashed.record.session)
        #expect(find(entry { $0.state = .stopped })?.wasStopped == true)
        #expect(find(entry(minutes: 59)) != nil)
        #expect(find(entry(minutes: -5))?.age == 0)
        // Nothing was said in it for long, and it was hosted again a moment ago.
        #expect(
            find(entry(minutes: 90) { $0.begin(at: Self.now - 60, after: 3, offset: nil) }) != nil)
    }

    @Test func event_isNone_whereItIsOverOrOldOrEmptyOrAnothers() {
        #expect(find() == nil)
        #expect(find(entry("town hall")) == nil)
        #expect(find(entry { $0.state = .ended }) == nil)
        #expect(find(entry(isInUse: true)) == nil)
        #expect(find(entry(minutes: 61)) == nil)
        #expect(find(entry(size: 0)) == nil)
    }

    /// Where all was said by those who talk the log that founded it has nothing.
    @Test func event_isFound_whoseWordsAreAllInTalkersLogs() throws {
        let silent = entry(minutes: 90, size: 0)
        let ann = entry(minutes: 2) {
            $0.contribution = .init(talker: "Ann", in: silent.record.session, as: "Ann")
        }
        let room = entry(minutes: 1) {
            $0.contribution = .init(to: silent.record.session, as: "Room 2")
        }
        let found = InterruptedEvent(
            named: "Town Hall", among: SessionEntry.withTheirLogs([ann, silent]), now: Self.now)
        #expect(found?.session == silent.record.session && found.map { Int($0.age) } == 120)
        let others = SessionEntry.withTheirLogs([room, silent])
        #expect(
            InterruptedEvent(named: "Town Hall", among: others, now: Self.now) == nil,
            "what another writes is no line of its host's")
    }

    @Test func lastOne_isTheEvent_andNotWhatSomebodySaidThere() throws {
        let (silent, older) = (entry(minutes: 5, size: 0), entry(minutes: 30))
        let ann = entry(minutes: 2) {
            $0.contribution = .init(talker: "Ann", in: silent.record.session, as: "Ann")
        }
        let all = SessionEntry.withTheirLogs([older, ann, silent])
            .sorted { $0.modified > $1.modified }
        for isOwn in [false, true] {
            let last = try SessionChoice(wanted: "last", isOwn: isOwn).find(among: all)
            #expect(last.record.session == silent.record.session)
        }
        #expect(ann.goesWithItsEvent)
    }

    /// What came last is what counts: an event that ended is not gone on with since one before it
    /// was interrupted.
    @Test func newest_counts() {
        #expect(find(entry(minutes: 10), entry(minutes: 2) { $0.state = .ended }) == nil)
        let newest = entry(minutes: 2)
        #expect(find(entry(minutes: 10), newest)?.session == newest.record.session)
    }

    @Test func words_sayWhatBefellItAndWhen() throws {
        let crashed = try #require(find(entry(minutes: 1.5)))
        #expect(crashed.question.hasPrefix("\"Town Hall\" was interrupted 1 minute ago. Go on"))
        let stopped = try #require(find(entry(minutes: 0.5) { $0.state = .stopped }))
        #expect(stopped.statement.hasPrefix("\"Town Hall\" was stopped a moment ago: going on"))
    }
}
