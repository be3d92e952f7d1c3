import BeamscribeCore
import Testing

@Suite struct ReceptionFloodTests {
    private let count = 10_000

    @Test func honestStranger_staysThroughAFlood_fromAnotherSource() {
        let desk = Desk()
        desk.arrive(-1, from: "honest")
        for id in 0..<count { desk.arrive(id, from: "flood") }
        #expect(desk.surplus == Array(0..<(count - Limits.silentConnections + 1)))
        desk.speak(-1)
        #expect(desk.next() == .now(-1, sendingAway: nil))
    }

    @Test func quickStranger_getsThrough_amidAFloodFromItsOwnSource() {
        let desk = Desk()
        for id in 0..<count {
            desk.arrive(id, from: "flood")
            guard id % 500 == 499 else { continue }
            // A hundred more come before it says something.
            desk.arrive(-id, from: "flood")
            for late in 0..<100 { desk.arrive(10_000 + late, from: "flood") }
            desk.speak(-id)
            #expect(desk.next() == .now(-id, sendingAway: nil))
            desk.admitted(-id)
        }
    }

    @Test func honestHandshake_waitsForNobody_inAFloodOfHandshakes_fromAnotherSource() {
        let desk = Desk()
        for id in 0..<count {
            let now = Duration.milliseconds(id)
            desk.hello(id, from: "flood", now)
            _ = desk.next(now)
            guard id % 100 == 99 else { continue }
            desk.hello(-id, from: "honest", now)
            guard case .now(-id, let other) = desk.next(now) else {
                Issue.record("\(id): an honest stranger has to wait")
                return
            }
            #expect(other.map { $0 >= 0 } ?? true)
            desk.admitted(-id)
        }
        #expect(desk.surplus.isEmpty)
    }

    @Test func roomOfGuests_staysThroughAFlood_fromOneSource() {
        let desk = Desk()
        let guests = Array(100_000..<100_200)
        for guest in guests { desk.arrive(guest, from: "guest \(guest)") }
        for id in 0..<count { desk.arrive(id, from: "flood") }
        #expect(desk.surplus.allSatisfy { $0 < count })
        for guest in guests {
            desk.speak(guest)
            #expect(desk.next() == .now(guest, sendingAway: nil))
            desk.admitted(guest)
        }
    }

    /// Half hellos from ever new addresses: whoever takes t seconds to say its own stays with a
    /// probability of about e^(-F*t/Q).
    @Test(arguments: [(flood: 250, least: 98), (2_500, 95), (10_000, 90), (50_000, 70)])
    func honestStranger_isHeard_inAFloodFromManySources(flood: Int, least: Int) {
        let desk = Desk()
        let present = Limits.silentConnections
        for id in 0..<present { desk.arrive(id, from: "\(id)") }
        var (nextID, heard) = (present, 0)
        for honest in 1...100 {
            desk.arrive(-honest, from: "honest \(honest)")
            // Its words take 20 ms.
            for _ in 0..<(flood / 50) {
                desk.arrive(nextID, from: "\(nextID)")
                nextID += 1
            }
            desk.speak(-honest)
            if desk.next() == .now(-honest, sendingAway: nil) { heard += 1 }
            desk.admitted(-honest)
        }
        #expect(heard >= least)
    }

    /// Whole hellos from ever new addresses, which then say nothing: 1,500 a second, about what a
    /// processor has time for. An honest one takes 30 ms.
    @Test func honestHandshake_isDoneSoon_inAFloodOfHandshakesFromManySources() {
        let desk = Desk()
        var nextID = 0
        var begun: [ConnectionID: Int] = [:]
        var came: [ConnectionID: Int] = [:]
        var times: [Int] = []
        for now in 0..<6_000 {
            let time = Duration.milliseconds(now)
            for _ in 0..<(now.isMultiple(of: 2) ? 1 : 2) {
                desk.hello(nextID, from: "\(nextID)", time)
                nextID += 1
            }
            if now >= 2_000, now < 4_500, now.isMultiple(of: 50) {
                desk.hello(-now, from: "honest \(now)", time)
                came[-now] = now
            }
            for _ in 0..<2 {
                guard case .now(let id, let other) = desk.next(time) else { break }
                if id < 0 { begun[id] = now }
                if let other { begun[other] = nil }
            }
            for (id, since) in begun where now - since >= 30 {
                desk.admitted(id)
                times.append(now - (came[id] ?? 0))
                begun[id] = nil
            }
        }
        #expect(times.count == 50 && desk.surplus.isEmpty)
        #expect(times.sorted()[45] < 1_500)
    }

    @Test func reception_isBounded_whenEachStrangerHasASourceOfItsOwn() {
        let desk = Desk(waiting: 1_000)
        for id in 0..<count {
            desk.hello(id, from: "\(id)")
            _ = desk.next()
            desk.arrive(id + count, from: "\(id + count)")
        }
        #expect(desk.machine.speakingCount == Limits.halfOpenHandshakes)
        #expect(desk.machine.silentCount == Limits.silentConnections)
        #expect(desk.machine.waitingCount == 1_000)
        #expect(desk.machine.brokenInvariant == nil)
    }

    /// All come at once, and each handshake takes a while: nobody is sent away for another.
    @Test(arguments: [
        (guests: 1_000, sources: 1_000, milliseconds: 400), (1_000, 1, 400), (8_000, 1, 200),
    ])
    func roomOfGuests_getsInAtOnce(guests: Int, sources: Int, milliseconds: Int) {
        let desk = Desk()
        for id in 0..<guests { desk.hello(id, from: "\(id % sources)") }
        var done: [(id: ConnectionID, at: Int)] = []
        var admitted = 0
        var now = 0
        while admitted < guests, now < 10_000 {
            while let first = done.first, first.at <= now {
                desk.admitted(first.id)
                admitted += 1
                done.removeFirst()
            }
            // Three thousand a second is as many as can begin.
            for _ in 0..<30 {
                guard case .now(let id, let other) = desk.next(.milliseconds(now)) else { break }
                #expect(other == nil)
                done.append((id, now + milliseconds))
            }
            now += 10
        }
        #expect(admitted == guests && desk.surplus.isEmpty)
    }

    @Test func flood_costsNothingThatShows() {
        for sources in [1, 2, 100, 5_000] {
            var reception = Reception(timeout: .seconds(10), seed: 1)
            let clock = ContinuousClock()
            let time = clock.measure {
                for id in 0..<count {
                    reception.arrived(id, from: "\(id % sources)", now: .zero)
                    if id % 2 == 0 { reception.spoke(id, now: .zero) }
                    if let other = reception.silentSurplus() { reception.left(other) }
                    _ = reception.next(now: .zero)
                }
            }
            // 5,000 times accept(2) take about 50 ms; this is without optimisation, on a machine
            // that has other things to do.
            #expect(time < .seconds(20), "\(sources) sources")
        }
    }
}
