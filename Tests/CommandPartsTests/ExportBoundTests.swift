import Testing

@testable import BeamscribeCommand
@testable import BeamscribeIO

@Suite struct ExportBoundTests {
    @Test func bound_isALineOrATime() {
        #expect(ExportBound(argument: "100") == .line(100))
        #expect(ExportBound(argument: "9:05") == .time(hour: 9, minute: 5, second: 0))
        #expect(ExportBound(argument: "23:59:59") == .time(hour: 23, minute: 59, second: 59))
        for argument in [
            "", "0", "-1", "24:00", "10:60", "10:", ":30", "1:2:3:4", "10.30", "noon",
            "99999999999999999999",
        ] {
            #expect(ExportBound(argument: argument) == nil, "\(argument)")
        }
    }

    /// When clocks here show a time, so many days after one day.
    private func time(_ hour: Int, _ minute: Int = 0, days: Int = 0) -> Double {
        LocalTime(1_795_219_200).time(hour: hour, minute: minute, second: 0, days: days)
    }

    private func moment(_ argument: String, _ event: ClosedRange<Double>) -> Double? {
        ExportBound(argument: argument)?.moment(in: event)
    }

    @Test func time_isOfTheDayOnWhichItIsNearest() {
        let morning = time(10)...time(11, 30)
        #expect(moment("10:30", morning) == time(10, 30))
        #expect(moment("9:45", morning) == time(9, 45))
        #expect(moment("12:00", morning) == time(12))
        let night = time(23)...time(1, days: 1)
        #expect(moment("23:30", night) == time(23, 30))
        #expect(moment("0:30", night) == time(0, 30, days: 1))
        #expect(moment("2:00", night) == time(2, days: 1))
        #expect(moment("22:00", night) == time(22))
        #expect(moment("100", night) == nil)
        // Of several days the first.
        #expect(moment("12:00", time(10)...time(20, days: 3)) == time(12))
    }

    @Test(arguments: [0...1e300, -1e300...0, 0...0, -1e300...1e300])
    func time_isSome_ofAnyEvent(event: ClosedRange<Double>) {
        #expect(moment("10:30", event)?.isFinite == true)
    }
}
