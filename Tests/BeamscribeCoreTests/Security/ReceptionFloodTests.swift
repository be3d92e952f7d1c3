import BeamscribeCore
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
        #expect(desk.begin(-1) == nil)
        #expect(desk.machine.speakingCount == 1)
    }

    @Test func quickStranger_getsThrough_amidAFloodFromItsOwnSource() {
        let desk = Desk()
        for id in 0..<count {
            _ = desk.arrive(id, from: "flood")
            guard id % 500 == 499 else { continue }
            // A hundred more come before it says something, and sixty begin before it is done.
            let honest = -id
            #expect(desk.arrive(honest, from: "flood") != .refuse)
            for late in 0..<100 { #expect(desk.arrive(10_000 + late, from: "flood") != .refuse) }
            #expect(desk.begin(honest) != honest)
            for late in 0..<60 { #expect(desk.begin(10_000 + late) != honest) }
            #expect(desk.machine.speakingCount <= Limits.halfOpenHandshakes)
            desk.admitted(honest)
            for late in 0..<100 { desk.left(10_000 + late) }
        }
    }

    @Test func honestHandshake_staysThroughAFloodOfHandshakes_fromAnotherSource() {
        let desk = Desk()
        _ = desk.arrive(-1, from: "honest")
        _ = desk.begin(-1)
        for id in 0..<count {
            _ = desk.arrive(id, from: "flood")
            let expected = id - (Limits.halfOpenHandshakes - 1)
            #expect(desk.begin(id) == (expected < 0 ? nil : expected))
        }
        #expect(desk.machine.speakingCount == Limits.halfOpenHandshakes)
        // Ten seconds later it would be overdue, with the rest of the flood.
        #expect(desk.overdue(.seconds(10)).contains(-1))
        #expect(desk.machine.speakingCount == 0)
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
            #expect(desk.begin(guest) == nil)
            desk.admitted(guest)
        }
        #expect(sentAway.count == count - (Limits.silentConnections - guests.count))
    }

    @Test func reception_isBounded_whenEachStrangerHasASourceOfItsOwn() {
        let desk = Desk()
        for id in 0..<count {
            #expect(desk.arrive(id, from: "\(id)") != .refuse)
            #expect(desk.begin(id) == (id < Limits.halfOpenHandshakes ? nil : id - 64))
        }
        #expect(desk.machine.speakingCount == Limits.halfOpenHandshakes)
        #expect(desk.machine.silentCount == 0)
    }

    @Test func flood_costsNothingThatShows() {
        for sources in [1, 2, 100, 5_000] {
            var reception = Reception(timeout: .seconds(10))
            let clock = ContinuousClock()
            let time = clock.measure {
                for id in 0..<count {
                    _ = reception.arrived(id, from: "\(id % sources)", now: .zero)
                    if id % 2 == 0 { _ = reception.began(id, now: .zero) }
                    _ = reception.nextDeadline
                }
            }
            // 5,000 times accept(2) take about 50 ms; this is without optimisation, on a machine
            // that has other things to do.
            #expect(time < .seconds(5), "\(sources) sources")
        }
    }
}
