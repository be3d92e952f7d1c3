import BeamscribeCore
import Testing

@Suite struct WrongCodeTests {
    private let minute = Duration.seconds(60)

    @Test func door_closes_withTheFifthWrongCodeOfAMinute_andOpensAfterOne() {
        let desk = Desk()
        for number in 1...4 {
            let now = Duration.seconds(number)
            #expect(desk.guess(number, from: "a", now) == .open(failures: number))
        }
        #expect(desk.guess(5, from: "a", .seconds(5)) == .closed(until: .seconds(65)))
        #expect(desk.arrive(6, from: "a", .seconds(65) - .nanoseconds(1)) == .refuse)
        #expect(desk.machine.isClosed("a", now: .seconds(6)))
        #expect(!desk.machine.isClosed("b", now: .seconds(6)))
        #expect(desk.arrive(7, from: "b", .seconds(6)) != .refuse)
        #expect(!desk.machine.isClosed("a", now: .seconds(65)))
        // It begins anew.
        #expect(desk.guess(8, from: "a", .seconds(65)) == .open(failures: 1))
        #expect(desk.machine.wrongCodes == 6)
    }

    @Test func door_staysOpen_whenWrongCodesComeSlowly() {
        let desk = Desk()
        for number in 1...200 {
            let state = desk.guess(number, from: "a", .seconds(number * 15))
            #expect(state == .open(failures: min(number, 4)))
        }
    }

    @Test func operator_isToldOnce_whenManyTryAtATime() {
        let desk = Desk()
        for id in 0..<60 {
            _ = desk.arrive(id, from: "a")
            if id < 40 { _ = desk.begin(id) }
        }
        _ = desk.arrive(100, from: "b")
        let states = (0..<20).map { desk.fail($0, .seconds(1)) }
        #expect(states.filter { $0 == .closed(until: .seconds(61)) }.count == 1)
        #expect(states[4] == .closed(until: .seconds(61)))
        #expect(states[5...].allSatisfy { $0 == .open(failures: Limits.wrongCodes) })
        // Its others go at once, those of another source stay.
        #expect(desk.machine.nextDeadline == .seconds(1))
        #expect(Set(desk.overdue(.seconds(1))) == Set(20..<60))
        #expect(desk.machine.nextDeadline == .seconds(10))
    }

    @Test func thousandWrongCodes_closeTheDoorAgainAndAgain_andNoOtherGuestIsKeptOut() {
        let desk = Desk()
        var (closed, refused) = (0, 0)
        for number in 0..<1_000 {
            let now = Duration.milliseconds(number * 200)
            switch desk.guess(number, from: "guesser", now) {
            case .closed: closed += 1
            case .open: break
            case nil: refused += 1
            }
            #expect(desk.arrive(10_000 + number, from: "honest", now) == .wait(sendingAway: nil))
            #expect(desk.begin(10_000 + number, now) == .now(sendingAway: nil))
            desk.admitted(10_000 + number)
        }
        // 200 s: five tries, a minute without, and so on.
        #expect(closed == 4)
        #expect(refused == 1_000 - 20)
        #expect(desk.machine.wrongCodes == 20)
    }

    @Test func wrongCode_isHeldAgainstItsSource_howeverManyOthersFail() {
        let desk = Desk()
        for number in 0..<5 { _ = desk.guess(number, from: "a", .seconds(1)) }
        for number in 0..<5_000 {
            let now = Duration.seconds(2) + .microseconds(number)
            _ = desk.machine.arrived(100, from: "\(number)", now: now)
            _ = desk.machine.failedCode(100, now: now)
        }
        #expect(desk.machine.brokenInvariant == nil)
        #expect(desk.machine.isClosed("a", now: .seconds(3)))
        #expect(desk.arrive(1, from: "a", .seconds(3)) == .refuse)
        // The last of the others are remembered, the first are forgotten.
        #expect(desk.guess(2, from: "4999", .seconds(3)) == .open(failures: 2))
        #expect(desk.guess(3, from: "0", .seconds(3)) == .open(failures: 1))
    }

    @Test func oldestClosedDoor_isForgotten_whenAllAreClosed() {
        let desk = Desk()
        for source in 0..<4_097 {
            let now = Duration.milliseconds(source)
            for number in 0..<5 {
                _ = desk.machine.arrived(number, from: "\(source)", now: now)
                _ = desk.machine.failedCode(number, now: now)
            }
        }
        #expect(desk.machine.brokenInvariant == nil)
        let isClosed = { (source: Int) in desk.machine.isClosed("\(source)", now: .seconds(6)) }
        #expect(!isClosed(0))
        #expect((1..<4_097).allSatisfy(isClosed))
    }
}
