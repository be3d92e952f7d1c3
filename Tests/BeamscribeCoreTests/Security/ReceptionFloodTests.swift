import BeamscribeCore
import TestSupport
import Testing

@Suite struct ReceptionFloodTests {
    private let count = 5_000

    @Test func honestStranger_staysThroughAFlood_fromAnotherSource() {
        let desk = Desk()
        _ = desk.arrive(-1, from: "honest")
        for id in 0..<count {
            let first = id - (Limits.silentConnections - 1)
            let arrival = desk.arrive(id, from: "flood")
            #expect(arrival == .wait(sendingAway: first < 0 ? nil : first))
        }
        #expect(desk.machine.silentCount == Limits.silentConnections)
        #expect(desk.begin(-1) == .now(sendingAway: nil))
        #expect(desk.machine.speakingCount == 1)
    }

    @Test func quickStranger_getsThrough_amidAFloodFromItsOwnSource() {
        let desk = Desk()
        for id in 0..<count {
            _ = desk.arrive(id, from: "flood")
            guard id % 500 == 499 else { continue }
            // A hundred more come before it says something, and sixty begin before it is done.
            let honest = -id
            _ = desk.arrive(honest, from: "flood")
            for late in 0..<100 { _ = desk.arrive(10_000 + late, from: "flood") }
            #expect(desk.begin(honest) == .now(sendingAway: nil))
            for late in 0..<60 {
                #expect(desk.begin(10_000 + late) != .now(sendingAway: honest))
            }
            #expect(desk.machine.speakingCount <= Limits.halfOpenHandshakes)
            desk.admitted(honest)
            for late in 0..<100 { desk.left(10_000 + late) }
        }
    }

    @Test func honestHandshake_staysThroughAFloodOfHandshakes_fromAnotherSource() {
        let desk = Desk()
        _ = desk.arrive(-1, from: "honest")
        _ = desk.begin(-1)
        var begun = 0
        for id in 0..<count {
            let now = Duration.milliseconds(id)
            _ = desk.arrive(id, from: "flood", now)
            guard case .now(let other) = desk.begin(id, now) else { continue }
            begun += 1
            #expect(other != -1)
        }
        // Five seconds, and 64 of them every 200 ms.
        #expect((64 * 24...64 * 26).contains(begun))
        #expect(desk.machine.speakingCount == Limits.halfOpenHandshakes)
        // Another's newcomer waits for none of them.
        _ = desk.arrive(count, from: "late", .seconds(5))
        #expect(desk.begin(count, .seconds(5)) != .now(sendingAway: nil))
        #expect(desk.machine.speakingCount == Limits.halfOpenHandshakes)
        // Ten seconds later it would be overdue, with the rest of the flood.
        #expect(desk.overdue(.seconds(10)).contains(-1))
    }

    @Test func roomOfGuests_staysThroughAFlood_fromOneSource() {
        let desk = Desk()
        let guests = Array(100_000..<100_200)
        for guest in guests { _ = desk.arrive(guest, from: "guest \(guest)") }
        var sentAway: [ConnectionID] = []
        for id in 0..<count {
            if case .wait(let other?) = desk.arrive(id, from: "flood") { sentAway.append(other) }
        }
        #expect(sentAway.allSatisfy { $0 < count })
        for guest in guests {
            #expect(desk.begin(guest) == .now(sendingAway: nil))
            desk.admitted(guest)
        }
        #expect(sentAway.count == count - (Limits.silentConnections - guests.count))
    }

    @Test func reception_isBounded_whenEachStrangerHasASourceOfItsOwn() {
        let desk = Desk()
        for id in 0..<count {
            _ = desk.arrive(id, from: "\(id)")
            let isFirst = id < Limits.halfOpenHandshakes
            let due = Limits.handshakePatienceInARoom
            #expect(desk.begin(id) == (isFirst ? .now(sendingAway: nil) : .later(due)))
        }
        #expect(desk.machine.speakingCount == Limits.halfOpenHandshakes)
        #expect(desk.machine.silentCount == Limits.silentConnections)
    }

    /// All come at once, and each handshake takes a while: nobody is sent away for another.
    @Test(arguments: [(sources: 500, milliseconds: 400), (sources: 1, milliseconds: 60)])
    func roomOfGuests_getsInAtOnce(sources: Int, milliseconds: Int) {
        let desk = Desk()
        for id in 0..<500 { _ = desk.arrive(id, from: "\(id % sources)") }
        var waiting = Array(0..<500)
        var done: [(id: Int, at: Int)] = []
        for now in stride(from: 0, to: 5_000, by: 10) {
            for (id, at) in done where at == now { desk.admitted(id) }
            while let next = waiting.first {
                let beginning = desk.begin(next, .milliseconds(now))
                guard case .now(let other) = beginning else { break }
                #expect(other == nil)
                done.append((next, now + milliseconds))
                waiting.removeFirst()
            }
        }
        #expect(waiting.isEmpty && desk.machine.speakingCount == 0)
        #expect(done.last.map { $0.at < 4_000 } == true)
    }

    @Test func flood_costsNothingThatShows() {
        for sources in [1, 2, 100, 5_000] {
            var reception = Reception(timeout: .seconds(10))
            let time = ProcessorTime.measure {
                for id in 0..<count {
                    _ = reception.arrived(id, from: "\(id % sources)", now: .zero)
                    if id % 2 == 0 { _ = reception.begin(id, now: .zero) }
                    _ = reception.nextDeadline
                }
            }
            // 5,000 times accept(2) take about 50 ms; this is without optimisation, on a slow
            // machine.
            #expect(time < .seconds(5), "\(sources) sources")
        }
    }
}
