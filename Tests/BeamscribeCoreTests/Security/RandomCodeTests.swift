import BeamscribeCore
import Testing

@Suite struct RandomCodeTests {
    private static let count = 50_000

    @Test func everyCharacter_comesEverywhere_aboutAsOften() throws {
        var generator = SeededGenerator(seed: 23)
        var counts = [[UInt8: Int]](repeating: [:], count: EventCode.randomLength)
        for _ in 0..<Self.count {
            let characters = EventCode.random(using: &generator).characters
            try #require(characters.count == EventCode.randomLength)
            for (position, character) in characters.enumerated() {
                counts[position][character, default: 0] += 1
            }
        }
        let expected = Double(Self.count) / 10
        for position in counts {
            #expect(Set(position.keys) == Set("0123456789".utf8))
            // 9 degrees of freedom: over 50 comes once in ten million times.
            let square = position.values.reduce(0) { $0 + ($1 - expected) * ($1 - expected) }
            #expect(square / expected < 50)
        }
    }

    @Test func neighbours_areIndependent() {
        var generator = SeededGenerator(seed: 24)
        var counts: [Int: Int] = [:]
        for _ in 0..<Self.count {
            let characters = EventCode.random(using: &generator).characters
            for (first, second) in zip(characters, characters.dropFirst()) {
                counts[Int(first) << 8 | Int(second), default: 0] += 1
            }
        }
        let expected = Double(Self.count * 7) / 100
        #expect(counts.count == 100)
        let square = counts.values.reduce(0) { $0 + ($1 - expected) * ($1 - expected) }
        // What is weak is drawn again, which the pairs of runs show a little.
        #expect(square / expected < 250)
    }

    @Test func randomCode_isNeverWeak() {
        var generator = SeededGenerator(seed: 25)
        for _ in 0..<Self.count {
            #expect(EventCode.random(using: &generator).weakness == nil)
        }
    }

    @Test func drawnCode_isHardlyEverJudgedWeak() {
        var generator = SeededGenerator(seed: 26)
        var counts: [EventCode.Weakness: Int] = [:]
        for _ in 0..<Self.count {
            if let weakness = EventCode.drawn(using: &generator).weakness {
                counts[weakness, default: 0] += 1
            }
        }
        // So little that what is drawn again costs a random code nothing of its 26.6 bits.
        #expect(counts.values.reduce(0, +) < Self.count / 500, "\(counts)")
    }

    @Test func weakDraw_isDrawnAgain() {
        var generator = NinesFirst(nines: 8, rest: SeededGenerator(seed: 27))
        var same = generator
        #expect(EventCode.drawn(using: &same).weakness == .pattern)
        #expect(EventCode.random(using: &generator).weakness == nil)
    }

    /// Gives the greatest number first: what would be drawn is 99999999.
    private struct NinesFirst: RandomNumberGenerator {
        var nines: Int
        var rest: SeededGenerator

        mutating func next() -> UInt64 {
            guard nines > 0 else { return rest.next() }
            nines -= 1
            return .max
        }
    }
}

extension Collection<Int> {
    fileprivate func reduce(_ start: Double, _ add: (Double, Double) -> Double) -> Double {
        var sum = start
        for value in self { sum = add(sum, Double(value)) }
        return sum
    }
}
