import Testing

@testable import BeamscribeCore

@Suite struct LineNumbersTests {
    @Test func numbers_areThoseOfASet_whateverCameAndWent() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<500 {
            var numbers = LineNumbers()
            var model: Set<Int> = []
            var next = 1
            for _ in 0..<60 {
                if Int.random(in: 0...9, using: &generator) == 0 {
                    let from = Int.random(in: 0...next, using: &generator)
                    numbers.removeAll(from: from)
                    model = model.filter { $0 < from }
                    next = min(next, max(from, 1))
                } else {
                    next += Int.random(in: 0...3, using: &generator) == 0 ? 3 : 1
                    numbers.append(next)
                    model.insert(next)
                }
                #expect(numbers.last == model.max())
            }
            let wrong = (0...next + 2).filter { numbers.contains($0) != model.contains($0) }
            #expect(wrong.isEmpty)
        }
    }

    @Test func numbers_takeBoundedMemory_andForgetTheOldest() {
        var numbers = LineNumbers()
        let count = Limits.rememberedStretches * 3
        for index in 1...count { numbers.append(index * 2) }
        #expect(!numbers.contains(2))
        #expect(numbers.contains(count * 2))
        #expect(numbers.contains((count - Limits.rememberedStretches + 1) * 2))
        #expect(!numbers.contains((count - Limits.rememberedStretches) * 2))
    }
}
