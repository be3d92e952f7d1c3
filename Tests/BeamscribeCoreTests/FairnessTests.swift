import Testing

@testable import BeamscribeCore

@Suite struct FairnessTests {
    @Test func eachGroupHasItsTurn_inItsOrder() {
        let words = ["a1", "a2", "a3", "b1", "c1", "b2"]
        let fair = Fairness.inTurn(words) { $0.prefix(1) }
        #expect(fair == ["a1", "b1", "c1", "a2", "b2", "a3"])
        #expect(Fairness.inTurn([Int]()) { $0 }.isEmpty)
    }
}
