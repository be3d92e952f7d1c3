import FoundationEssentials
import Testing

@testable import BeamscribeCommand
@testable import BeamscribeCore
@testable import BeamscribeIO

@Suite struct KeptEventChoiceTests {
    private static let now = 1_800_000_000.0
    private let writer = Fingerprint(bytes: Array(repeating: 7, count: 32))!

    private func entry(
        _ name: String = "Town Hall", hours: Double = 3, size: UInt64 = 100,
        isInUse: Bool = false, at address: String? = nil,
        _ change: (inout SessionRecord) -> Void = { _ in }
    ) -> SessionEntry {
        let modified = Self.now - hours * 3_600
        var record = SessionRecord(
            session: UUID().wireName, eventName: name, deviceName: "stage", started: modified - 600)
        record.writer = writer
        record.held = .init(log: Data(), head: nil, joints: nil, address: address)
        change(&record)
        return SessionEntry(record: record, isInUse: isInUse, size: size, modified: modified)
    }

    private func find(
        _ name: String? = "Town Hall", at address: String? = nil, pin: String? = nil,
        hasCode: Bool = false, _ entries: SessionEntry...
    ) -> String? {
        KeptEvent(
            name: name, address: address, pin: pin.flatMap { FingerprintPin($0) },
            hasCode: hasCode
        ).find(among: entries, now: Self.now)?.record.session
    }

    @Test func newestIsMeant_ofThoseThatAreCalledSo() {
        let (old, new) = (entry(hours: 5), entry(hours: 2))
        let (longer, other) = (entry("Town Hall 2", hours: 1), entry("Other", hours: 1))
        #expect(find("Town Hall", old, new, longer, other) == new.record.session)
        #expect(find("town", old, new, longer, other) == longer.record.session)
        #expect(find(nil, old, new) == new.record.session)
        #expect(find("Nothing", old, new) == nil && find(nil) == nil)
        // A clock that was set back.
        let later = entry(hours: -1)
        #expect(find("Town Hall", new, later) == later.record.session)
    }

    /// Whose it is and what is missing is still known.
    @Test func oneWhoseLinesAreGone_isMeant() {
        let lost = entry(size: 0) { told(of: 3, &$0) }
        #expect(find("Town Hall", lost) == lost.record.session)
    }

    /// Its writer has said how many lines there are, and they were all here.
    private func told(of lines: Int, _ record: inout SessionRecord) {
        let head = LogHead(
            session: record.session, runs: [0], seq: lines, hash: "", at: lines, air: 0,
            state: LogHead.State.live.rawValue, inputAge: 0, time: 1, next: 4)
        let frame = try? FrameEncoder().frame(.head(head))
        record.held?.head = frame.map { Data($0.dropFirst(FrameDecoder.prefixLength)) }
    }

    /// Its writer may say that it was begun at any time.
    @Test func strangersWordForItsBeginning_makesNoneNewer() {
        let (new, old) = (entry(hours: 2), entry(hours: 5) { $0.runs[0].started = 4e9 })
        #expect(find("Town Hall", old, new) == new.record.session)
        #expect(old.touched == old.modified)
        let own = entry(hours: 5) {
            $0.held = nil
            $0.runs[0].started = Self.now - 60
        }
        #expect(own.touched == Self.now - 60)
        // One's own is the newer one of two that were written at once.
        let (held, mine) = (entry(hours: 5), entry(hours: 5) { $0.held = nil })
        #expect(mine.isNewer(than: held) && !held.isNewer(than: mine))
        #expect(!held.isNewer(than: held) && new.isNewer(than: mine))
    }

    @Test func noneIsMeant_thatIsOverOrOldOrEmptyOrAnothers() {
        #expect(find("Town Hall", entry { $0.state = .ended }) == nil)
        #expect(find("Town Hall", entry(hours: 25)) == nil)
        #expect(find("Town Hall", entry(hours: 23)) != nil)
        #expect(find("Town Hall", entry(size: 0)) == nil)
        #expect(find("Town Hall", entry(size: 0) { told(of: 0, &$0) }) == nil)
        #expect(find("Town Hall", entry(isInUse: true)) == nil)
        #expect(find("Town Hall", entry { $0.held = nil }) == nil)
        #expect(find("Town Hall", entry { $0.writer = nil }) == nil)
    }

    @Test func addressMeansWhatWasJoinedThere() {
        let (here, there) = (entry(at: "192.0.2.7:23267"), entry(hours: 1, at: "192.0.2.8"))
        #expect(find(nil, at: "192.0.2.7:23267", here, there, entry()) == here.record.session)
        #expect(find(nil, at: "192.0.2.9", here, there, entry()) == nil)
    }

    @Test func keyAndCodeHaveToFit() {
        let open = entry()
        let asking = entry { $0.hasCode = true }
        let right = String(repeating: "07", count: 8)
        #expect(find("Town Hall", pin: right, open) != nil)
        #expect(find("Town Hall", pin: String(repeating: "08", count: 8), open) == nil)
        #expect(find("Town Hall", hasCode: true, open, asking) == asking.record.session)
        #expect(find("Town Hall", hasCode: true, open) == nil)
        // It is asked for then.
        #expect(find("Town Hall", asking) != nil)
    }
}
