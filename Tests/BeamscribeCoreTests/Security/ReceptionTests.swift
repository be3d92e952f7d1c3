import BeamscribeCore
import Testing

@Suite struct ReceptionTests {
    private let timeout = Duration.seconds(10)

    @Test func stranger_isAdmitted() {
        let desk = Desk(timeout: timeout)
        #expect(desk.arrive(1, from: "a") == .wait(sendingAway: nil))
        #expect(desk.machine.silentCount == 1 && desk.machine.speakingCount == 0)
        #expect(desk.begin(1) == .now(sendingAway: nil))
        #expect(desk.machine.silentCount == 0 && desk.machine.speakingCount == 1)
        #expect(desk.begin(1) == .now(sendingAway: nil))
        #expect(desk.machine.speakingCount == 1)
        desk.admitted(1)
        #expect(desk.machine.speakingCount == 0 && desk.machine.nextDeadline == nil)
        #expect(desk.begin(1) == .now(sendingAway: nil))
        #expect(desk.machine.speakingCount == 0)
        desk.left(1)
        #expect(desk.machine.brokenInvariant == nil)
    }

    @Test func stranger_isOverdue_tenSecondsAfterItsArrival_whateverItSays() {
        let desk = Desk(timeout: timeout)
        _ = desk.arrive(1, from: "a", .seconds(100))
        _ = desk.arrive(2, from: "a", .seconds(101))
        _ = desk.begin(1, .seconds(109))
        #expect(desk.machine.nextDeadline == .seconds(110))
        #expect(desk.overdue(.seconds(110) - .nanoseconds(1)) == [])
        #expect(desk.overdue(.seconds(110)) == [1])
        #expect(desk.machine.nextDeadline == .seconds(111))
        #expect(desk.overdue(.seconds(200)) == [2])
        #expect(desk.overdue(.seconds(200)) == [])
        #expect(desk.machine.nextDeadline == nil && desk.machine.brokenInvariant == nil)
    }

    @Test func oldestOfTheGreatestSource_goes_whenThereAreTooMany() {
        let desk = Desk(timeout: timeout, silent: 4, speaking: 4)
        let sources = ["b", "a", "a", "c"]
        for (id, source) in sources.enumerated() { _ = desk.arrive(id, from: source) }
        #expect(desk.arrive(4, from: "d") == .wait(sendingAway: 1))
        // Everybody has one now, and with the newcomer c has two.
        #expect(desk.arrive(5, from: "c") == .wait(sendingAway: 3))
        // Everybody has one, the newcomer too: the first of all goes.
        #expect(desk.arrive(6, from: "e") == .wait(sendingAway: 0))
        #expect(desk.machine.silentCount == 4 && desk.machine.brokenInvariant == nil)
    }

    @Test func newcomer_isNeverSentAwayForItself() {
        let desk = Desk(timeout: timeout, silent: 9, speaking: 1)
        for id in 0..<9 { _ = desk.arrive(id, from: "\(id)") }
        for id in (0..<9).reversed() {
            let now = Duration.milliseconds(500 * (9 - id))
            #expect(desk.begin(id, now) == .now(sendingAway: id == 8 ? nil : id + 1))
            #expect(desk.machine.speakingCount == 1)
        }
    }

    @Test func longSilentStranger_isNotSentAway_whenItBegins() {
        let desk = Desk(timeout: timeout, silent: 9, speaking: 2)
        for id in 0..<3 { _ = desk.arrive(id, from: "a") }
        _ = desk.begin(1)
        _ = desk.begin(2)
        #expect(desk.begin(0, .seconds(1)) == .now(sendingAway: 1))
    }

    @Test func handshake_waitsALittle_whenItsOwnSourceCrowds() {
        let desk = Desk(timeout: timeout, speaking: 4)
        for id in 0..<4 {
            _ = desk.arrive(id, from: "a")
            _ = desk.begin(id, .milliseconds(id))
        }
        _ = desk.arrive(4, from: "a")
        #expect(desk.begin(4, .milliseconds(10)) == .later(.milliseconds(200)))
        #expect(desk.machine.silentCount == 1)
        #expect(desk.begin(4, .milliseconds(199)) == .later(.milliseconds(200)))
        #expect(desk.begin(4, .milliseconds(200)) == .now(sendingAway: 0))
        desk.admitted(3)
        _ = desk.arrive(5, from: "a")
        #expect(desk.begin(5, .milliseconds(201)) == .now(sendingAway: nil))
    }

    @Test func handshake_waitsForNobody_whenAnotherSourceCrowds() {
        let desk = Desk(timeout: timeout, speaking: 4)
        for id in 0..<4 {
            _ = desk.arrive(id, from: id < 3 ? "a" : "b")
            _ = desk.begin(id)
        }
        _ = desk.arrive(4, from: "c")
        #expect(desk.begin(4) == .now(sendingAway: 0))
        // Now a has two, b and c have one, and with the newcomer b has two.
        _ = desk.arrive(5, from: "b")
        #expect(desk.begin(5) == .later(Limits.handshakePatienceInARoom))
    }

    @Test func unknownConnection_isNoNews() {
        let desk = Desk(timeout: timeout)
        _ = desk.arrive(1, from: "a")
        #expect(desk.begin(7) == .now(sendingAway: nil))
        desk.admitted(7)
        desk.left(7)
        #expect(desk.machine.silentCount == 1)
    }
}
