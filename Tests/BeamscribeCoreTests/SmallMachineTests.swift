import Testing

@testable import BeamscribeCore

@Suite struct BackoffTests {
    @Test func pauses_growToTenSeconds_andStayThere() {
        var backoff = Backoff()
        var generator = SeededGenerator(seed: 4)
        let expected: [Double] = [0, 1, 2, 4, 8, 10, 10, 10]
        for step in expected {
            let pause = backoff.next(using: &generator).seconds
            #expect((step * 0.8...step * 1.2).contains(pause))
        }
        backoff.reset()
        #expect(backoff.next(using: &generator) == .zero)
    }
}

@Suite struct WriterClockTests {
    /// A moment whose wall clock is `wall` seconds ahead of the uptime.
    private func moment(_ uptime: Double, wall: Double = 1_000) -> Moment {
        Moment(uptime: .seconds(saturating: uptime), wall: uptime + wall)
    }

    @Test func host_tellsItsClockItself() {
        var clock = WriterClock()
        #expect(clock.offset(now: moment(1)) == nil)
        clock.begin()
        clock.add(t1: 1_001, t2: 1_301.1, t3: 1_301.1, now: moment(1.2))
        #expect(clock.offset(now: moment(2)) == nil)
        clock.isConnected(toHost: true, now: moment(2))
        #expect(abs((clock.offset(now: moment(2)) ?? 0) - 300) < 0.001)
        // Our own clock is set.
        #expect(abs((clock.offset(now: moment(3, wall: 4_600)) ?? 0) + 3_300) < 0.001)
    }

    /// Somebody else's clock is 300 seconds ahead.
    @Test func hostsSignedWords_tellItsClock_whereSomebodyElseServes() {
        var clock = WriterClock()
        clock.begin()
        clock.add(t1: 1_001, t2: 1_301.1, t3: 1_301.1, now: moment(1.2))
        clock.isConnected(toHost: false, now: moment(1.2))
        #expect(clock.offset(now: moment(2)) == nil)
        for (time, uptime) in [(1_001.0, 5.0), (1_005.5, 6.0), (1_007.0, 9.0)] {
            clock.heard(time, now: moment(uptime))
        }
        #expect(abs((clock.offset(now: moment(10)) ?? 9) + 0.5) < 0.001)
    }

    @Test func hostsClock_staysKnown_whereSomebodyElseServesLater() {
        var clock = WriterClock()
        clock.begin()
        clock.isConnected(toHost: true, now: moment(1))
        clock.add(t1: 1_001, t2: 1_061.1, t3: 1_061.1, now: moment(1.2))
        clock.begin()
        clock.add(t1: 1_002, t2: 2_000, t3: 2_000, now: moment(2))
        clock.isConnected(toHost: false, now: moment(2))
        // All words are a minute late.
        clock.heard(1_003, now: moment(3))
        #expect(abs((clock.offset(now: moment(4)) ?? 0) - 60) < 0.001)
        #expect(clock.roundTrip != nil)
    }
}

@Suite struct ClockComparisonTests {
    @Test func offset_isTheDifference_whenTheWayIsTheSameBothWays() throws {
        var clock = ClockComparison()
        #expect(clock.offset == nil)
        clock.add(t1: 100, t2: 1_100.5, t3: 1_100.6, t4: 101.1)
        #expect(abs(try #require(clock.offset) - 1_000) < 1e-9)
        #expect(abs(try #require(clock.roundTrip) - 1) < 1e-9)
    }

    @Test func offset_comesFromTheShortestWay() throws {
        var clock = ClockComparison()
        clock.add(t1: 0, t2: 59, t3: 59, t4: 20)
        clock.add(t1: 100, t2: 150.01, t3: 150.01, t4: 100.02)
        #expect(abs(try #require(clock.offset) - 50) < 0.011)
    }

    @Test func comparison_looksBack_overEightExchanges() throws {
        var clock = ClockComparison()
        clock.add(t1: 0, t2: 7, t3: 7, t4: 0)
        for time in 1...7 { clock.add(t1: Double(time), t2: 50, t3: 50, t4: Double(time) + 1) }
        #expect(clock.offset == 7 && clock.roundTrip == 0)
        clock.add(t1: 8, t2: 50, t3: 50, t4: 9)
        #expect(clock.roundTrip == 1)
    }

    @Test func comparison_passesOver_whatCannotBe() {
        var clock = ClockComparison()
        clock.add(t1: 10, t2: 5, t3: 25, t4: 11)
        clock.add(t1: .nan, t2: 1, t3: 1, t4: 1)
        clock.add(t1: 0, t2: .infinity, t3: 1, t4: 1)
        #expect(clock.offset == nil)
    }
}

@Suite struct ConnectionRaceTests {
    private let quarter = Duration.milliseconds(250)

    @Test func attempts_startAQuarterSecondApart() {
        var race = ConnectionRace(["a", "b", "c"], at: .zero)
        #expect(race.start(at: .zero) == "a")
        #expect(race.start(at: .zero) == nil)
        #expect(race.nextAttempt == quarter)
        #expect(race.start(at: quarter) == "b")
        #expect(race.start(at: quarter * 2) == "c")
        #expect(race.nextAttempt == nil)
        #expect(!race.isLost)
    }

    @Test func nextAttempt_isDueAtOnce_whenOneFails() {
        var race = ConnectionRace(["a", "b"], at: .zero)
        _ = race.start(at: .zero)
        race.failed("a", at: .milliseconds(10))
        #expect(race.start(at: .milliseconds(10)) == "b")
        race.failed("b", at: .milliseconds(20))
        #expect(race.isLost)
    }

    @Test func race_startsNothingMore_onceWon() {
        var race = ConnectionRace(["a", "b"], at: .zero)
        _ = race.start(at: .zero)
        race.won()
        #expect(race.start(at: .seconds(1)) == nil)
        #expect(!race.isLost)
    }

    @Test func endpoint_isTriedOnce_howeverOftenItIsFound() {
        var race = ConnectionRace(["a", "a"], at: .zero)
        race.add("a", at: .zero)
        race.add("b", at: .zero)
        #expect(race.start(at: .zero) == "a")
        #expect(race.start(at: quarter) == "b")
        #expect(race.start(at: quarter * 9) == nil)
    }

    @Test func newEndpoint_waitsForThoseUnderWay_andOnlyForThem() {
        var race = ConnectionRace(["a"], at: .zero)
        _ = race.start(at: .zero)
        race.add("b", at: .seconds(1))
        race.add("c", at: .seconds(1) + quarter / 2)
        #expect(race.nextAttempt == .seconds(1) + quarter)
        #expect(race.start(at: .seconds(1) + quarter) == "b")
        race.failed("a", at: .seconds(2))
        race.failed("b", at: .seconds(2))
        #expect(race.start(at: .seconds(2)) == "c")
        race.failed("c", at: .seconds(2))
        race.add("d", at: .seconds(5))
        #expect(race.nextAttempt == .seconds(5))
        #expect(race.start(at: .seconds(5)) == "d")
        race.won()
        race.add("e", at: .seconds(9))
        #expect(race.nextAttempt == nil)
    }

    @Test func fallbacks_waitForTheOthers() {
        var race = ConnectionRace(["a"], fallbacks: ["x", "y"], at: .zero)
        #expect(race.start(at: .zero) == "a")
        #expect(race.nextAttempt == .seconds(3))
        #expect(race.start(at: .seconds(2)) == nil)
        #expect(race.start(at: .seconds(3)) == "x")
        #expect(race.start(at: .seconds(3)) == nil)
        #expect(race.start(at: .seconds(3) + quarter) == "y")
        #expect(race.nextAttempt == nil)
    }

    @Test func fallbacks_areTriedAtOnce_whenTheOthersHaveFailed() {
        var race = ConnectionRace(["a"], fallbacks: ["x"], at: .zero)
        _ = race.start(at: .zero)
        race.failed("a", at: .milliseconds(10))
        #expect(!race.isLost)
        #expect(race.start(at: .milliseconds(10)) == "x")
        race.failed("x", at: .milliseconds(20))
        #expect(race.isLost)
    }

    @Test func fallbacks_areTriedAtOnce_whenThereIsNothingElse() {
        var race = ConnectionRace([], fallbacks: ["x", "x"], at: .zero)
        #expect(race.start(at: .zero) == "x")
        #expect(race.nextAttempt == nil)
    }

    @Test func newEndpoint_goesBeforeTheFallbacks() {
        var race = ConnectionRace(["a"], fallbacks: ["x"], at: .zero)
        _ = race.start(at: .zero)
        race.add("b", at: .seconds(1))
        #expect(race.start(at: .seconds(1) + quarter) == "b")
        race.failed("b", at: .seconds(2))
        #expect(race.nextAttempt == .seconds(3))
    }

    @Test func race_isLost_whenThereIsNothingToTry() {
        #expect(ConnectionRace<String>([], at: .zero).isLost)
    }
}
