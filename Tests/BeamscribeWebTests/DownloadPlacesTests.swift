import BeamscribeCore
import Testing

@testable import BeamscribeWeb

/// Who gets a transcript, and who gives way.
@Suite struct DownloadPlacesTests {
    /// Places whose calls can stand in an expectation.
    private final class Desk {
        private var places: DownloadPlaces
        private(set) var ids: [Int] = []
        var count: Int { places.count }

        init(from sources: [String]) {
            places = DownloadPlaces(limit: sources.count)
            for source in sources { _ = take(from: source, now: .zero) }
        }

        /// Who goes for a newcomer, -1 where nobody has to; nil where there is no place.
        func take(from source: String, now: Duration) -> Int? {
            guard let (id, other) = places.take(from: source, now: now) else { return nil }
            ids.append(id)
            return other ?? -1
        }

        func progressed(_ id: Int, now: Duration) { places.progressed(id, now: now) }
        func leave(_ id: Int) { places.leave(id) }
    }

    @Test func downloadThatStandsStill_givesWay_evenToItsOwnSource() {
        let places = Desk(from: ["a", "a", "a", "a"])
        let ids = places.ids
        places.progressed(ids[0], now: .seconds(1))
        #expect(places.take(from: "a", now: .milliseconds(4_999)) == nil)
        #expect(places.take(from: "a", now: .seconds(5)) == ids[1])
        #expect(places.count == 4)
    }

    @Test func greatestSource_givesWay_toOneThatHasFewer() {
        let places = Desk(from: ["a", "a", "a", "b"])
        let ids = places.ids
        #expect(places.take(from: "c", now: .seconds(1)) == ids[2])
        #expect(places.take(from: "b", now: .seconds(1)) == nil)
        #expect(places.take(from: "d", now: .seconds(1)) == ids[1])
        #expect(places.take(from: "e", now: .seconds(1)) == nil)
    }

    /// However slow it is: as long as it goes on and nobody waits for long.
    @Test func slowDownload_goesOn_untilItHasHadItsTurn() {
        let places = Desk(from: ["a", "b", "c", "d"])
        let ids = places.ids
        for second in 1...59 {
            for id in ids { places.progressed(id, now: .seconds(second)) }
            #expect(places.take(from: "e", now: .seconds(second)) == nil)
        }
        for id in ids { places.progressed(id, now: .seconds(60)) }
        #expect(places.take(from: "e", now: .seconds(60)) == ids[0])
    }

    @Test func place_isFree_whenItWasLeft() {
        let places = Desk(from: ["a", "b"])
        let ids = places.ids
        places.leave(ids[0])
        places.leave(ids[0])
        #expect(places.take(from: "b", now: .zero) == -1 && places.count == 2)
    }

    @Test func places_areNeverTooMany_whateverHappens() {
        for seed in UInt64(0)..<200 {
            var generator = SeededGenerator(seed: seed)
            var places = DownloadPlaces(limit: 4)
            var here: [Int] = []
            var now = Duration.zero
            for _ in 0..<100 {
                now += .milliseconds(Int.random(in: 0...4_000, using: &generator))
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: here.randomElement(using: &generator).map { places.leave($0) }
                case 1:
                    guard let id = here.randomElement(using: &generator) else { continue }
                    places.progressed(id, now: now)
                default:
                    let source = "\(Int.random(in: 0..<5, using: &generator))"
                    guard let (id, other) = places.take(from: source, now: now) else { continue }
                    here.removeAll { $0 == other }
                    here.append(id)
                }
                #expect(places.count <= 4)
            }
        }
    }
}
