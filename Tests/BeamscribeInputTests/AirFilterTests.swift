import BeamscribeCore
import Testing

@testable import BeamscribeInput

@Suite struct AirFilterTests {
    private func partial(_ text: String, _ line: String? = nil) -> InputEvent {
        .partial(Caption(text: text, line: line))
    }

    private func final(_ text: String, _ line: String? = nil) -> InputEvent {
        .final(Caption(text: text, line: line))
    }

    @Test func everything_passes_onAir() {
        var filter = AirFilter(isOn: true)
        let events = [partial("Good"), final("Good evening."), .warning("x")]
        #expect(filter.pass(events, now: .zero) == events)
    }

    @Test func nothingButWarnings_passes_offAir() {
        var filter = AirFilter(isOn: false)
        #expect(
            filter.pass([partial("Good"), final("Good evening."), .warning("x")], now: .zero)
                == [.warning("x")])
        #expect(filter.isOff)
    }

    @Test func turn_isOverAtOnce_betweenTwoLines() {
        var filter = AirFilter(isOn: true)
        _ = filter.pass([partial("Good"), final("Good evening.")], now: .zero)
        filter.end(now: .zero)
        #expect(filter.isOff)
    }

    @Test func openLine_isSaidToItsEnd_andNothingBehindIt() {
        var filter = AirFilter(isOn: true)
        _ = filter.pass([partial("Good")], now: .zero)
        filter.end(now: .zero)
        #expect(!filter.isOff)
        #expect(filter.pass([partial("Good eve")], now: .zero) == [partial("Good eve")])
        #expect(
            filter.pass(
                [final("Good evening."), partial("Thank"), final("Thank you.")], now: .zero)
                == [final("Good evening.")])
        #expect(filter.isOff)
        #expect(filter.tick(now: .seconds(100)).isEmpty)
    }

    @Test func linesWithIDs_areEachSaidToTheirEnds() {
        var filter = AirFilter(isOn: true)
        _ = filter.pass([partial("One", "1"), partial("Two", "2")], now: .zero)
        filter.end(now: .zero)
        #expect(
            filter.pass([partial("Three", "3"), final("One.", "1")], now: .zero) == [
                final("One.", "1")
            ])
        #expect(!filter.isOff)
        #expect(filter.pass([partial("", "2")], now: .zero) == [partial("", "2")])
        #expect(filter.isOff)
    }

    @Test func openLine_isTakenBack_whereItDoesNotEnd() {
        var filter = AirFilter(isOn: true)
        _ = filter.pass([partial("Good"), partial("Two", "2")], now: .zero)
        filter.end(now: .seconds(1))
        #expect(filter.nextDeadline == .seconds(1) + Limits.airLastLine)
        #expect(filter.tick(now: .seconds(2)).isEmpty)
        #expect(filter.tick(now: .seconds(6)) == [partial(""), partial("", "2")])
        #expect(filter.isOff && filter.nextDeadline == nil)
    }

    @Test func lineThatIsOpen_comesOutWhole_whenTheTurnBegins() {
        var filter = AirFilter(isOn: false)
        #expect(filter.pass([partial("Good")], now: .zero).isEmpty)
        _ = filter.begin(after: nil)
        #expect(filter.pass([partial("Good eve")], now: .zero) == [partial("Good eve")])
    }

    @Test func whatWasHeardSinceTheLastWord_isSaid_whenTheTurnBegins() {
        var filter = AirFilter(isOn: false)
        for second in 1...5 {
            _ = filter.pass(
                [partial("li"), final("line \(second)")], now: .seconds(second))
        }
        let since = filter.begin(after: .seconds(3))
        #expect(since == [final("line 4"), final("line 5")])
        filter.end(now: .seconds(9))
        let again = filter.begin(after: .zero)
        #expect(again.isEmpty)
    }

    @Test func whatWasHeard_isForgotten_afterAWhileOrWhereItIsTooMuch() {
        var filter = AirFilter(isOn: false)
        for second in 1...200 { _ = filter.pass([final("\(second)")], now: .seconds(second)) }
        let since = filter.begin(after: .zero)
        #expect(since.count == 51)
        filter.end(now: .zero)
        for number in 1...200 { _ = filter.pass([final("\(number)")], now: .zero) }
        let many = filter.begin(after: .seconds(-1))
        #expect(many.count == Limits.airMemoryLines)
    }

    @Test func whatWasHeardOffTheRecord_isNeverSaid() {
        var filter = AirFilter(isOn: false)
        _ = filter.pass([final("a secret")], now: .seconds(1))
        filter.forget(until: .seconds(10))
        _ = filter.pass([final("the end of it")], now: .seconds(9))
        _ = filter.pass([final("for everybody")], now: .seconds(10))
        let since = filter.begin(after: .zero)
        #expect(since == [final("for everybody")])
    }

    @Test func nothingIsSaidTwice_whereTheCaptionsWereTakenOrHanded() {
        var filter = AirFilter(isOn: false)
        _ = filter.pass([final("said by the other")], now: .zero)
        let since = filter.begin(after: nil)
        #expect(since.isEmpty)
    }

    @Test func turnThatComesBack_duringTheLastLine_goesOn() {
        var filter = AirFilter(isOn: true)
        _ = filter.pass([partial("Good")], now: .zero)
        filter.end(now: .zero)
        _ = filter.begin(after: nil)
        #expect(filter.pass([final("Good evening."), final("Thank you.")], now: .zero).count == 2)
        #expect(!filter.isOff)
    }
}
