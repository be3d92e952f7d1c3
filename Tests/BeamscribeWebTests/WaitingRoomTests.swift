import BeamscribeCore
import Testing

@testable import BeamscribeWeb

/// Who has to go when too many connections wait.
@Suite struct WaitingRoomTests {
    @Test func theMostEager_losesItsOldest() {
        var room = WaitingRoom<Int>(limit: 4)
        #expect(room.enter(1, from: "a") == nil)
        for id in 2...3 { #expect(room.enter(id, from: "b") == nil) }
        #expect(room.enter(4, from: "a") == nil)
        #expect(room.enter(5, from: "b") == 1, "Both have two; the oldest goes.")
        #expect(room.enter(6, from: "a") == 2, "Now the other has three.")
        room.leave(3)
        #expect(room.enter(7, from: "c") == nil && room.count == 4)
        #expect(room.enter(8, from: "c") == 4)
    }

    @Test func whoOpensThousands_pushesOutHisOwn() {
        var room = WaitingRoom<Int>(limit: 100)
        for id in 0..<10 { #expect(room.enter(id, from: "phone \(id)") == nil) }
        for id in 10..<5_000 {
            let evicted = room.enter(id, from: "attacker")
            #expect(evicted == (id < 100 ? nil : id - 90))
        }
        #expect(room.count == 100)
    }

    @Test func room_agreesWithThePlainWay_whateverHappens() {
        for seed in 0..<UInt64(300) {
            var generator = SeededGenerator(seed: seed)
            let limit = Int.random(in: 1...12, using: &generator)
            var room = WaitingRoom<Int>(limit: limit)
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
                let expected = model.count < limit ? nil : Self.evicted(of: model)
                #expect(room.enter(id, from: source) == expected, "seed \(seed)")
                model.removeAll { $0.id == expected }
                model.append((id, source))
                #expect(room.count == model.count && room.count <= limit, "seed \(seed)")
            }
        }
    }

    private static func evicted(of model: [(id: Int, source: String)]) -> Int? {
        func count(_ source: String) -> Int { model.count { $0.source == source } }
        let most = model.map { count($0.source) }.max()
        return model.first { count($0.source) == most }?.id
    }
}
