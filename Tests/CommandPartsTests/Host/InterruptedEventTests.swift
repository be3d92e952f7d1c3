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
