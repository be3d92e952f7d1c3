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
        let expected = Double(Self.count) / 32
        for position in counts {
            #expect(Set(position.keys) == Set(EventCode.alphabet))
            // 31 degrees of freedom: over 80 comes once in a million times.
            let square = position.values.reduce(0) { $0 + ($1 - expected) * ($1 - expected) }
            #expect(square / expected < 80)
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
        let expected = Double(Self.count * 9) / 1_024
        #expect(counts.count == 1_024)
        let square = counts.values.reduce(0) { $0 + ($1 - expected) * ($1 - expected) }
        // 1,023 degrees of freedom, standard deviation 45: five of them.
        #expect(square / expected < 1_023 + 5 * 45)
    }

    @Test func randomCode_isNeverWeak_andHardlyEverDrawnTwice() {
        var generator = SeededGenerator(seed: 25)
        var seen: Set<EventCode> = []
        for _ in 0..<Self.count {
            let code = EventCode.random(using: &generator)
            #expect(code.weakness == nil)
            #expect(seen.insert(code).inserted)
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
        // So little that what is drawn again costs a random code nothing of its 50 bits.
        #expect(counts.values.reduce(0, +) < Self.count / 2_000, "\(counts)")
    }

    @Test func weakDraw_isDrawnAgain() {
        var generator = ZeroFirst(zeros: 10, rest: SeededGenerator(seed: 27))
        var same = generator
        #expect(EventCode.drawn(using: &same).weakness == .fewCharacters)
        #expect(EventCode.random(using: &generator).weakness == nil)
    }

    /// Gives zeros first: what would be drawn is 0000000000.
    private struct ZeroFirst: RandomNumberGenerator {
        var zeros: Int
        var rest: SeededGenerator

        mutating func next() -> UInt64 {
            guard zeros > 0 else { return rest.next() }
            zeros -= 1
            return 0
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
