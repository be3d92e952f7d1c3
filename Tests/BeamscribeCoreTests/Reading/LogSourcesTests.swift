import Testing

@testable import BeamscribeCore

/// Of which of several a log is read.
@Suite struct LogSourcesTests {
    private func head(_ seq: Int, at time: Double) -> LogHead {
        LogHead(
            session: "s", runs: [0], seq: seq, hash: "", at: seq, air: 1, handTo: nil,
            state: "live", inputAge: 0, time: time, next: 4)
    }

    private func note(
        _ seq: Int, by link: Shelf.Link, at now: Int, _ sources: inout LogSources, have: Int
    ) {
        let noted = head(seq, at: Double(now))
        [UInt8(clamping: seq)].withUnsafeBytes {
            sources.note(noted, as: $0, from: link, now: .seconds(now)) { $0.seq > have }
        }
    }

    private func read(_ link: Shelf.Link, at now: Int, _ sources: inout LogSources) {
        let first = head(1, at: Double(now))
        [UInt8(1)].withUnsafeBytes {
            sources.read(by: link, at: first, as: $0, now: .seconds(now))
        }
    }

    private func due(_ sources: LogSources, have: Int, since: Int = 0, at now: Int) -> Shelf.Link? {
        sources.due(progressed: .seconds(since), now: .seconds(now)) { $0.seq > have }?.link
    }

    @Test func another_hasItsTurn_whereNothingComesForASecond() {
        var sources = LogSources()
        read(.dialled(0), at: 0, &sources)
        note(5, by: .guest(1), at: 10, &sources, have: 1)
        #expect(due(sources, have: 1, at: 10) == nil)
        #expect(due(sources, have: 1, at: 11) == .guest(1))
        // Its lines come in from where it is read, or have come.
        #expect(due(sources, have: 3, since: 11, at: 11) == nil)
        #expect(due(sources, have: 5, at: 20) == nil)
        #expect(sources.link == .dialled(0))
    }

    /// Who tells of a new line each moment is not put off by that.
    @Test func turn_comesASecondAfterTheFirstHead_howeverManyFollow() {
        var sources = LogSources()
        read(.dialled(0), at: 0, &sources)
        for now in 10...11 { note(now, by: .guest(1), at: now, &sources, have: 1) }
        #expect(due(sources, have: 1, at: 11) == .guest(1))
    }

    /// Somebody may know of what there is, and keep it back.
    @Test func each_hasItsTurn_andWhoHadItWaits() {
        var sources = LogSources()
        read(.dialled(0), at: 0, &sources)
        note(5, by: .dialled(0), at: 1, &sources, have: 1)
        note(5, by: .guest(1), at: 10, &sources, have: 1)
        note(5, by: .guest(2), at: 10, &sources, have: 1)
        var turns: [Shelf.Link?] = []
        for now in stride(from: 12, through: 22, by: 2) {
            let next = due(sources, have: 1, at: now)
            turns.append(next)
            guard let next else { continue }
            read(next, at: now, &sources)
            note(5, by: next, at: now, &sources, have: 1)
        }
        #expect(
            turns == [.guest(1), .guest(2), .dialled(0), .guest(1), .guest(2), .dialled(0)])
    }

    @Test func whoHasTheNewest_isRead_whereTheLinkIsGone() {
        var sources = LogSources()
        read(.dialled(0), at: 0, &sources)
        note(3, by: .guest(1), at: 1, &sources, have: 9)
        note(4, by: .guest(2), at: 1, &sources, have: 9)
        note(2, by: .guest(3), at: 2, &sources, have: 9)
        sources.remove(.dialled(0))
        #expect(sources.link == nil && due(sources, have: 9, at: 2) == .guest(2))
        sources.remove(.guest(2))
        #expect(due(sources, have: 9, at: 2) == .guest(1))
        sources.removeAll()
        #expect(due(sources, have: 9, at: 2) == nil)
    }
}
