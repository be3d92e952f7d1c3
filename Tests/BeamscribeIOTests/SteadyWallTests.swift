import Testing

@testable import BeamscribeIO

@Suite struct SteadyWallTests {
    @Test func clockFollowsTheSystems_untilItIsHeld() {
        var clock = SteadyWall()
        #expect(clock.time(1_000, uptime: 5) == 1_000)
        // The machine has just started, and its clock is set right.
        #expect(clock.time(1_800_000_000, uptime: 6) == 1_800_000_000)
        clock.hold(1_800_000_001, uptime: 7)
        #expect(clock.time(1_800_000_002, uptime: 8) == 1_800_000_002)
    }

    @Test(arguments: [-3_600.0, -30, 30, 3_600, -1_800_000_000])
    func step_movesNothing_onceItIsHeld(_ step: Double) {
        var clock = SteadyWall()
        clock.hold(1_800_000_000, uptime: 100)
        #expect(clock.time(1_800_000_010 + step, uptime: 110) == 1_800_000_010)
        // Nobody holds it anew, at a wrong time.
        clock.hold(1_800_000_020 + step, uptime: 120)
        #expect(clock.time(1_800_000_030 + step, uptime: 130) == 1_800_000_030)
    }
}
