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
        #expect(filter.pass(events) == events)
    }

    @Test func nothingButWarnings_passes_offAir() {
        var filter = AirFilter(isOn: false)
        #expect(
            filter.pass([partial("Good"), final("Good evening."), .warning("x")])
                == [.warning("x")])
        #expect(filter.isOff)
    }

    @Test func turn_isOverAtOnce_betweenTwoLines() {
        var filter = AirFilter(isOn: true)
        _ = filter.pass([partial("Good"), final("Good evening.")])
        filter.end(now: .zero)
        #expect(filter.isOff)
    }

    @Test func openLine_isSaidToItsEnd_andNothingBehindIt() {
        var filter = AirFilter(isOn: true)
        _ = filter.pass([partial("Good")])
        filter.end(now: .zero)
        #expect(!filter.isOff)
        #expect(filter.pass([partial("Good eve")]) == [partial("Good eve")])
        #expect(
            filter.pass([final("Good evening."), partial("Thank"), final("Thank you.")])
                == [final("Good evening.")])
        #expect(filter.isOff)
        #expect(filter.tick(now: .seconds(100)).isEmpty)
    }

    @Test func linesWithIDs_areEachSaidToTheirEnds() {
        var filter = AirFilter(isOn: true)
        _ = filter.pass([partial("One", "1"), partial("Two", "2")])
        filter.end(now: .zero)
        #expect(filter.pass([partial("Three", "3"), final("One.", "1")]) == [final("One.", "1")])
        #expect(!filter.isOff)
        #expect(filter.pass([partial("", "2")]) == [partial("", "2")])
        #expect(filter.isOff)
    }

    @Test func openLine_isTakenBack_whereItDoesNotEnd() {
        var filter = AirFilter(isOn: true)
        _ = filter.pass([partial("Good"), partial("Two", "2")])
        filter.end(now: .seconds(1))
        #expect(filter.nextDeadline == .seconds(1) + Limits.airLastLine)
        #expect(filter.tick(now: .seconds(2)).isEmpty)
        #expect(filter.tick(now: .seconds(6)) == [partial(""), partial("", "2")])
        #expect(filter.isOff && filter.nextDeadline == nil)
    }

    @Test func lineThatIsOpen_comesOutWhole_whenTheTurnBegins() {
        var filter = AirFilter(isOn: false)
        #expect(filter.pass([partial("Good")]).isEmpty)
        filter.begin()
        #expect(filter.pass([partial("Good eve")]) == [partial("Good eve")])
    }

    @Test func turnThatComesBack_duringTheLastLine_goesOn() {
        var filter = AirFilter(isOn: true)
        _ = filter.pass([partial("Good")])
        filter.end(now: .zero)
        filter.begin()
        #expect(filter.pass([final("Good evening."), final("Thank you.")]).count == 2)
        #expect(!filter.isOff)
    }
}
