import BeamscribeCore
import Testing

@Suite struct ReceptionTests {
    private let timeout = Duration.seconds(10)

    @Test func stranger_isAdmitted() {
        let desk = Desk(timeout: timeout)
        desk.arrive(1, from: "a")
        #expect(desk.machine.silentCount == 1 && desk.next() == .nobody)
        desk.speak(1)
        #expect(desk.machine.silentCount == 0 && desk.machine.isWaiting(1))
        desk.speak(1)
        #expect(desk.machine.waitingCount == 1)
        #expect(desk.next() == .now(1, sendingAway: nil))
        #expect(desk.machine.waitingCount == 0 && desk.machine.speakingCount == 1)
        desk.speak(1)
        #expect(desk.next() == .nobody && desk.machine.speakingCount == 1)
        desk.admitted(1)
        #expect(desk.machine.speakingCount == 0 && desk.machine.nextDeadline == nil)
        desk.speak(1)
        #expect(desk.next() == .nobody)
        desk.left(1)
        #expect(desk.machine.brokenInvariant == nil)
    }

    @Test func stranger_isOverdue_tenSecondsAfterItsArrival_whateverItSays() {
        let desk = Desk(timeout: timeout)
        desk.arrive(1, from: "a", .seconds(100))
        desk.arrive(2, from: "a", .seconds(101))
        desk.speak(1, .seconds(109))
        #expect(desk.next(.seconds(109)) == .now(1, sendingAway: nil))
        #expect(desk.machine.nextDeadline == .seconds(110))
        #expect(desk.overdue(.seconds(110) - .nanoseconds(1)) == [])
        #expect(desk.overdue(.seconds(110)) == [1])
        #expect(desk.machine.nextDeadline == .seconds(111))
        #expect(desk.overdue(.seconds(200)) == [2])
        #expect(desk.overdue(.seconds(200)) == [])
        #expect(desk.machine.nextDeadline == nil && desk.machine.brokenInvariant == nil)
    }

    @Test func timeThatAStrangerWaits_isNotItsOwn() {
        let desk = Desk(timeout: timeout)
        desk.arrive(1, from: "a")
        desk.speak(1, .seconds(4))
        #expect(desk.machine.nextDeadline == nil && desk.overdue(.seconds(60)) == [])
        #expect(desk.next(.seconds(64)) == .now(1, sendingAway: nil))
        #expect(desk.machine.nextDeadline == .seconds(70))
        #expect(desk.overdue(.seconds(70)) == [1])
    }

    @Test func oldestOfTheGreatestSource_goes_whenTooManyAreSilent() {
        let desk = Desk(silent: 4)
        for (id, source) in ["b", "a", "a", "c"].enumerated() { desk.arrive(id, from: source) }
        desk.arrive(4, from: "d")
        // Everybody has one now, and with the newcomer c has two.
        desk.arrive(5, from: "c")
        #expect(desk.surplus == [1, 3])
        #expect(desk.machine.silentCount == 4)
    }

    @Test func chanceChooses_newcomersToo_whenNoSourceHasMost() {
        var gone: [ConnectionID: Int] = [:]
        for seed in UInt64(0)..<2_000 {
            let desk = Desk(silent: 4, seed: seed)
            for id in 0..<5 { desk.arrive(id, from: "\(id)") }
            gone[desk.surplus[0], default: 0] += 1
        }
        #expect(gone.count == 5 && gone.values.allSatisfy { (300...500).contains($0) })
    }

    @Test func newestOfTheGreatestSource_goes_whenTooManyWait() {
        let desk = Desk(waiting: 4)
        for (id, source) in ["b", "a", "a", "c"].enumerated() { desk.hello(id, from: source) }
        desk.hello(4, from: "d")
        #expect(desk.surplus == [2])
    }

    @Test func whoeverHasSpoken_isNotSentAway_howeverManySayNothing() {
        let desk = Desk(silent: 4)
        for id in 0..<100 { desk.hello(id, from: "a") }
        for id in 100..<200 { desk.arrive(id, from: "a") }
        #expect(desk.surplus == Array(100..<196))
        for id in 0..<100 { #expect(desk.next() == .now(id, sendingAway: nil)) }
    }

    @Test func sourceWithFewestHandshakes_hasTheNextTurn() {
        let desk = Desk(speaking: 8)
        for id in 0..<6 { desk.hello(id, from: "a") }
        #expect(desk.next() == .now(0, sendingAway: nil))
        desk.hello(10, from: "b")
        #expect(desk.next() == .now(10, sendingAway: nil))
        #expect(desk.next() == .now(1, sendingAway: nil))
    }

    @Test func handshake_waitsALittle_whenItsOwnSourceCrowds() {
        let desk = Desk(speaking: 4)
        for id in 0..<4 {
            desk.hello(id, from: "a", .milliseconds(id))
            _ = desk.next(.milliseconds(id))
        }
        desk.hello(4, from: "a", .milliseconds(10))
        let due = Limits.handshakePatienceWithOneSource
        #expect(desk.next(.milliseconds(10)) == .later(due))
        #expect(desk.machine.waitingCount == 1)
        #expect(desk.next(due - .nanoseconds(1)) == .later(due))
        #expect(desk.next(due) == .now(4, sendingAway: 0))
        desk.admitted(3)
        desk.hello(5, from: "a", due)
        #expect(desk.next(due) == .now(5, sendingAway: nil))
    }

    @Test func handshake_waitsForNobody_whenAnotherSourceCrowds() {
        let desk = Desk(speaking: 4)
        for id in 0..<4 {
            desk.hello(id, from: id < 3 ? "a" : "b")
            _ = desk.next()
        }
        desk.hello(4, from: "c")
        #expect(desk.next() == .now(4, sendingAway: 0))
        // Now a has two, b and c have one, and with the newcomer b has two.
        desk.hello(5, from: "b")
        #expect(desk.next() == .later(Limits.handshakePatienceWithOneSource))
    }

    @Test func patienceIsShort_whenMoreSourcesWaitThanThereArePlaces() {
        let desk = Desk(speaking: 4)
        for id in 0..<4 {
            desk.hello(id, from: "\(id)")
            _ = desk.next()
        }
        for id in 4..<8 { desk.hello(id, from: "\(id)") }
        #expect(desk.next() == .later(Limits.handshakePatienceInARoom))
        desk.hello(8, from: "8")
        #expect(desk.next() == .later(Limits.handshakePatience))
    }

    @Test func unknownConnection_isNoNews() {
        let desk = Desk()
        desk.arrive(1, from: "a")
        desk.speak(7)
        #expect(desk.next() == .nobody)
        desk.admitted(7)
        desk.left(7)
        #expect(desk.machine.silentCount == 1)
    }

    @Test func places_areHalfOfTheDescriptors_whereThereAreFew() {
        let usual = Reception.Places()
        #expect(Reception.Places(openFiles: 524_288) == usual)
        for files in [256, 1_024, 4_096, 20_000] {
            let places = Reception.Places(openFiles: files)
            #expect(places.silent + places.waiting + places.speaking <= files / 2)
        }
    }

    @Test(arguments: [
        (16, 8, 8), (1_024, 128, 256), (100, 12, 25), (1_000_000, .max, .max),
    ])
    func places_areAPart_ofWhatMayBeOpen(files: Int, few: Int, waiting: Int) {
        let places = Reception.Places(openFiles: files)
        #expect(places.silent == min(few, Limits.silentConnections))
        #expect(places.waiting == min(waiting, Limits.waitingHandshakes))
        #expect(places.speaking == min(few, Limits.halfOpenHandshakes))
    }
}
