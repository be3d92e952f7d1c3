import Testing

@testable import BeamscribeCore

/// Which partials of a log are newer than what has come of it.
@Suite("The order of partials") struct PartialOrderTests {
    private func partial(_ line: String, _ revision: Int, at time: Double) -> LiveChunk {
        LiveChunk(partialOf: line, revision: revision, text: "x", sentTimestamp: time)
    }

    private func head(_ seq: Int, at time: Double) -> LogHead {
        LogHead(
            session: "", runs: [0], seq: seq, hash: "", at: seq, air: 1, handTo: nil,
            state: "live", inputAge: 0, time: time, next: 4)
    }

    private func final(_ seq: Int, _ line: String, at time: Double) -> LiveChunk {
        LiveChunk(final: seq, line: line, text: "x", sentTimestamp: time)
    }

    @Test("A partial that is older than the newest of any line does not count")
    func times() {
        var order = PartialOrder()
        for (line, time) in [("a", 10.0), ("b", 11)] {
            #expect(order.admits(partial(line, 1, at: time)))
            order.take(partial: partial(line, 1, at: time))
        }
        #expect(!order.admits(partial("a", 1, at: 10)))
        #expect(!order.admits(partial("c", 9, at: 10.9)))
        #expect(order.admits(partial("a", 2, at: 12)))
    }

    @Test("Of one moment the revisions of a line count, and its final is the last")
    func oneMoment() {
        var order = PartialOrder()
        order.take(partial: partial("a", 2, at: 10))
        #expect(!order.admits(partial("a", 2, at: 10)))
        #expect(!order.admits(partial("a", 1, at: 10)))
        #expect(order.admits(partial("a", 3, at: 10)))
        #expect(order.admits(partial("b", 1, at: 10)))
        order.take(final: final(1, "a", at: 10))
        #expect(!order.admits(partial("a", 3, at: 10)))
        #expect(order.admits(partial("b", 1, at: 10)))
    }

    @Test("Whoever comes late goes by the newest head")
    func newcomers() {
        var order = PartialOrder()
        order.take(head(1, at: 100))
        #expect(!order.admits(partial("a", 1, at: 98)))
        #expect(order.admits(partial("a", 1, at: 99.5)))
        order.take(final: final(1, "x", at: 90))
        #expect(!order.admits(partial("a", 1, at: 98)))
    }

    @Test("A final that comes late makes no older partial count")
    func lateFinal() {
        var order = PartialOrder()
        order.take(final: final(1, "x", at: 10))
        order.take(partial: partial("a", 2, at: 20))
        order.take(final: final(2, "y", at: 15))
        #expect(!order.admits(partial("a", 1, at: 18)))
    }

    @Test("Where the clock was set back, the next final says so")
    func clockSetBack() {
        var order = PartialOrder()
        order.take(final: final(1, "x", at: 3_600))
        order.take(partial: partial("a", 1, at: 3_601))
        order.take(head(1, at: 3_602))
        #expect(!order.admits(partial("a", 2, at: 10)))
        order.take(head(2, at: 3_602.001))
        order.take(final: final(2, "a", at: 11))
        #expect(order.admits(partial("b", 1, at: 12)))
        order.take(partial: partial("b", 1, at: 12))
        #expect(!order.admits(partial("b", 1, at: 11.5)))
        // Once the clock has caught up, heads count again.
        order.take(final: final(3, "b", at: 3_700))
        order.take(head(3, at: 3_705))
        #expect(!order.admits(partial("c", 1, at: 3_701)))
    }
}
