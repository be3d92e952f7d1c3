import Testing

@testable import BeamscribeCommand

@Suite struct AgeTests {
    @Test(arguments: [
        ("30d", 2_592_000, "30 days"), ("0", 0, "0 days"), ("1", 86_400, "1 day"),
        ("12h", 43_200, "12 hours"), ("2w", 1_209_600, "2 weeks"),
    ])
    func age_isRead(argument: String, seconds: Int, words: String) {
        let age = Age(argument: argument)
        #expect(age?.duration == .seconds(seconds) && age?.words == words)
    }

    @Test(arguments: [
        (2_592_000, "30 days"), (1_209_600, "2 weeks"), (90_000, "25 hours"), (60, "0 hours"),
    ])
    func age_isToldInItsLargestUnit(seconds: Int, words: String) {
        #expect(Age(seconds: seconds).words == words)
    }

    @Test(arguments: ["", "d", "-1d", "1.5d", "3 d", "3m", "3D", "876001h", "99999999999999999999"])
    func age_isNone(argument: String) {
        #expect(Age(argument: argument) == nil)
    }
}
