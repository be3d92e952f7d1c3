import Testing

@testable import BeamscribeCore

@Suite struct RateLimitTests {
    @Test func limit_isSpent_beyondWhatMayHappenAtOnce_andFillsUpAgain() {
        var limit = RateLimit(perSecond: 20, atOnce: 1_200)
        limit.take(1_200, now: .seconds(1))
        #expect(!limit.isSpent)
        limit.take(1, now: .seconds(1))
        #expect(limit.isSpent)
        #expect([30, 32].map { limit.hasRecovered(now: .seconds($0)) } == [false, true])
        limit.take(100_000, now: .seconds(32))
        #expect([4_000, 100_000].map { limit.hasRecovered(now: .seconds($0)) } == [false, true])
        limit.take(1_200, now: .seconds(100_000))
        #expect(!limit.isSpent)
    }

    @Test func limit_punishesNobody_whereAClockGoesBack() {
        var limit = RateLimit(perSecond: 20, atOnce: 10)
        limit.take(10, now: .seconds(100))
        limit.take(0, now: .zero)
        #expect(!limit.isSpent)
    }

    @Test func limit_admitsTheAverage_afterWhatMayHappenAtOnce() {
        var limit = RateLimit(perSecond: 4, atOnce: 16)
        var admitted = 0
        for millisecond in 0..<10_000 where limit.admits(now: .milliseconds(millisecond)) {
            admitted += 1
        }
        #expect((55...56).contains(admitted))
    }
}
