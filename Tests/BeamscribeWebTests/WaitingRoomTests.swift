import BeamscribeCore
import Testing

@testable import BeamscribeWeb

/// Who has to go when too many connections wait.
@Suite struct WaitingRoomTests {
    @Test func theMostEager_losesItsOldest() {
        var room = WaitingRoom<Int>(limit: 4, seed: 1)
        #expect(room.enter(1, from: "a") == nil)
        for id in 2...4 { #expect(room.enter(id, from: "b") == nil) }
        #expect(room.enter(5, from: "a") == 2)
        #expect(room.enter(6, from: "a") == 1, "With the newcomer it has three.")
        room.leave(3)
        #expect(room.enter(7, from: "c") == nil && room.count == 4)
        #expect(room.enter(8, from: "c").map { [5, 7].contains($0) } == true)
    }

    /// Behind a proxy it is known by the request alone whose a connection is.
    @Test func whoAsksByAProxy_countsByHimself() {
        var room = WaitingRoom<Int>(limit: 4, seed: 1)
        for id in 1...4 { #expect(room.enter(id, from: "proxy") == nil) }
        for id in 1...3 { room.move(id, to: "greedy") }
        room.move(4, to: "honest")
        #expect(room.enter(5, from: "proxy") == 1)
        room.move(1, to: "nobody")
        room.move(5, to: "honest")
        #expect(room.enter(6, from: "proxy").map { [2, 4].contains($0) } == true)
    }

    @Test func whoOpensThousands_pushesOutHisOwn() {
        var room = WaitingRoom<Int>(limit: 100, seed: 1)
        for id in 0..<10 { #expect(room.enter(id, from: "phone \(id)") == nil) }
        for id in 10..<5_000 {
            let evicted = room.enter(id, from: "attacker")
            #expect(evicted == (id < 100 ? nil : id - 90))
        }
        #expect(room.count == 100)
    }

    /// Each from an address of its own: whoever is done while few come is rarely pushed out.
    @Test func chanceChooses_whenNobodyIsMostEager() {
        var room = WaitingRoom<Int>(limit: 100, seed: 1)
        var (nextID, stayed) = (0, 0)
        for _ in 0..<1_000 {
            let honest = nextID
            var isHere = true
            for _ in 0..<11 {
                if room.enter(nextID, from: "\(nextID)") == honest { isHere = false }
                nextID += 1
            }
            if isHere { stayed += 1 }
            room.leave(honest)
        }
        #expect((850...950).contains(stayed), "e^(-10/100) of them")
    }

    @Test func room_agreesWithThePlainWay_whateverHappens() {
        for seed in 0..<UInt64(300) {
            var generator = SeededGenerator(seed: seed)
            let limit = Int.random(in: 1...12, using: &generator)
            var room = WaitingRoom<Int>(limit: limit, seed: seed)
            var model: [(id: Int, source: String)] = []
            for id in 0..<80 {
                if Int.random(in: 0..<3, using: &generator) == 0 {
                    // Somebody who is here, who has gone, or who never was.
                    let leaving = Int.random(in: 0...id + 2, using: &generator)
                    room.leave(leaving)
                    model.removeAll { $0.id == leaving }
                    continue
                }
                let source = ["a", "b", "c", "d"].randomElement(using: &generator)!
                model.append((id, source))
                let allowed = model.count <= limit ? [] : Self.mayGo(of: model)
                let gone = room.enter(id, from: source)
                #expect(gone.map { allowed.contains($0) } ?? allowed.isEmpty, "seed \(seed)")
                model.removeAll { $0.id == gone }
                #expect(room.count == model.count && room.count <= limit, "seed \(seed)")
            }
        }
    }

    /// The oldest of each source that has the most.
    private static func mayGo(of model: [(id: Int, source: String)]) -> [Int] {
        let groups = Dictionary(grouping: model, by: \.source).values
        let most = groups.map(\.count).max()
        return groups.filter { $0.count == most }.map { $0[0].id }
    }
}
