import Testing

@testable import BeamscribeCore

/// Who serves the event asks for those whom it serves.
@Suite struct PassedAsksTests {
    private var asks = PassedAsks()

    private func ask(_ session: String, by guest: ConnectionID) -> PassedAsks.Ask {
        PassedAsks.Ask(session: session, record: [], guest: guest)
    }

    private mutating func due(_ standing: [PassedAsks.Ask], at second: Int) -> [String] {
        asks.due(standing, now: .seconds(second)).map(\.session)
    }

    @Test mutating func whatStands_isAskedForAtOnce_andNowAndThen() {
        let standing = [ask("a", by: 1), ask("b", by: 2)]
        #expect(due(standing, at: 0) == ["a", "b"])
        #expect(due(standing, at: 29).isEmpty)
        #expect(due(standing, at: 30) == ["a", "b"])
        #expect(due([standing[1]], at: 60) == ["b"])
        // It is new again.
        #expect(due(standing, at: 61) == ["a"])
    }

    /// A relay behind a relay has all of its own on one connection.
    @Test mutating func newOnesOfOneConnection_haveTheirTurns() {
        let standing = (1...3).map { ask("\($0)", by: 1) }
        #expect(due(standing, at: 0) == ["1"])
        #expect(due(standing, at: 9).isEmpty)
        #expect(due(standing, at: 10) == ["2"])
        #expect(due(standing, at: 20) == ["3"])
        #expect(due(standing, at: 30) == ["1"])
    }

    /// Between two words for somebody who stands there are fewer of one who asks for ever more than are kept.
    @Test mutating func whoAsksForEverMore_takesNobodyElsesPlace() {
        var kept: [String] = []
        for second in 0..<1_000 {
            let rude = (0..<Limits.logsAskedFor).map { ask("\(second * 8 + $0)", by: 2) }
            for session in due([ask("a", by: 1)] + rude, at: second) {
                kept.removeAll { $0 == session }
                kept.append(session)
                if kept.count > Limits.logsAskedFor { kept.removeFirst() }
            }
            #expect(kept.contains("a"))
        }
    }
}
