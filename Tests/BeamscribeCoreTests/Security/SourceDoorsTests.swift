import Testing

@testable import BeamscribeCore

@Suite struct SourceDoorsTests {
    /// Doors whose calls a test's expectation can make.
    private final class Doors {
        var machine = SourceDoors()
        func begin(_ source: String, now: Duration) -> Bool {
            machine.begin(source, now: now)
        }
        func end(_ source: String) { machine.end(source) }
        func failed(_ source: String, now: Duration) -> Bool {
            machine.failed(source, now: now)
        }
        func isClosed(_ source: String, now: Duration) -> Bool {
            machine.isClosed(source, now: now)
        }
    }
    private let doors = Doors()

    @Test func guesses_areCountedWithTheWrongCodes_untilTheyEnd() {
        for _ in 1...2 { #expect(!doors.failed("a", now: .zero)) }
        let begun = (1...5).map { _ in doors.begin("a", now: .seconds(1)) }
        #expect(begun == [true, true, true, false, false])
        #expect(doors.begin("b", now: .seconds(1)), "another source is none of it")
        doors.end("a")
        doors.end("nobody")
        #expect(doors.begin("a", now: .seconds(1)) && !doors.begin("a", now: .seconds(1)))
        #expect(doors.machine.brokenInvariant(guessing: ["a", "a", "a", "b"]) == nil)
        for _ in 1...3 { doors.end("a") }
        #expect(doors.machine.brokenInvariant(guessing: ["b"]) == nil)
    }

    @Test func wrongCode_countsForAMinute() {
        for second in 0..<4 { #expect(!doors.failed("a", now: .seconds(second))) }
        #expect(!doors.failed("a", now: .seconds(60)), "the first is forgotten")
        #expect(doors.failed("a", now: .seconds(61) - .nanoseconds(1)))
    }

    @Test func closedDoor_closesNoSecondTime_andNotForLonger() {
        for _ in 1...4 { _ = doors.failed("a", now: .zero) }
        #expect(doors.failed("a", now: .zero))
        #expect(!doors.failed("a", now: .seconds(30)))
        #expect(doors.isClosed("a", now: .seconds(59)) && !doors.begin("a", now: .seconds(59)))
        #expect(!doors.isClosed("a", now: .seconds(60)) && doors.begin("a", now: .seconds(60)))
        #expect(!doors.isClosed("b", now: .zero))
    }

    @Test func oldestSource_isForgotten_anOpenDoorBeforeAClosedOne() {
        for _ in 1...5 { _ = doors.failed("closed", now: .zero) }
        for number in 1..<Limits.rememberedSources {
            _ = doors.failed("\(number)", now: .seconds(1) + .milliseconds(number))
        }
        for _ in 1...4 { #expect(!doors.failed("new", now: .seconds(50))) }
        #expect(doors.failed("new", now: .seconds(50)), "a newcomer is counted, too")
        #expect(doors.isClosed("closed", now: .seconds(50)))
        #expect(doors.machine.brokenInvariant == nil)
        for _ in 1...4 { #expect(!doors.failed("1", now: .seconds(50)), "it was forgotten") }
    }
}
