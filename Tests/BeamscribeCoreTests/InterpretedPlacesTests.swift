import Testing

@testable import BeamscribeCore

/// What an interpreter's lines stand for.
@Suite struct InterpretedPlacesTests {
    private func interpreted(by places: [Int]) -> [Int] {
        var interpreted = InterpretedPlaces()
        for place in places { interpreted.speak(at: place) }
        return (0...200).filter { interpreted.covers($0) }
    }

    @Test func line_standsForWhatWasSaidSinceTheOneBefore() {
        #expect(interpreted(by: [5]) == [])
        #expect(interpreted(by: [5, 9]) == [5, 6, 7, 8])
        #expect(interpreted(by: [5, 9, 10]) == Array(5...9))
    }

    @Test func whatWasSaidWhileNobodyInterpreted_stands() {
        #expect(interpreted(by: [5, 6, 100, 102]) == [5, 100, 101])
        let most = Limits.interpretedPlaces
        #expect(interpreted(by: [1, 1 + most]).count == most)
        #expect(interpreted(by: [1, 2 + most]) == [])
    }

    /// In whichever order the lines of a log come, the same is interpreted, and nothing was that is not any more;
    /// what is told of each line holds all that it changes.
    @Test func order_ofArrival_makesNoDifference() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            let count = Int.random(in: 0..<12, using: &generator)
            let places = (0..<count).map { _ in Int.random(in: 1...150, using: &generator) }
            var interpreted = InterpretedPlaces()
            var before: Set<Int> = []
            for place in places {
                let told = interpreted.speak(at: place)
                let now = Set((0...200).filter { interpreted.covers($0) })
                #expect(
                    before.isSubset(of: now) && now.subtracting(before).allSatisfy(told.contains))
                before = now
            }
            #expect(before == Set(self.interpreted(by: places.sorted())))
        }
    }
}
