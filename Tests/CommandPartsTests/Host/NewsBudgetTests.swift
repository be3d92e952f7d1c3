import BeamscribeCore
import Testing

@testable import BeamscribeCommand

/// How often guests' comings and goings are told.
@Suite struct NewsBudgetTests {
    private let minute = Duration.seconds(60)

    @Test func source_tellsNoMoreThanItsShare_andOthersAreTold() {
        var budget = NewsBudget(perSource: 3, inAll: 10, window: minute)
        let told = (0..<1_000).count { budget.admits("a", now: .milliseconds($0)) }
        let isOtherTold = budget.admits("b", now: .seconds(2))
        #expect(told == 3 && isOtherTold)
        let summaries = [59, 60, 60].map { budget.summary(now: .seconds($0)) }
        #expect(summaries == [nil, 997, nil])
        let isToldAgain = budget.admits("a", now: minute)
        #expect(isToldAgain)
    }

    @Test func manySources_tellNoMoreThanThereIsRoomFor() {
        var budget = NewsBudget(perSource: 3, inAll: 10, window: minute)
        let told = (0..<500).count { budget.admits("\($0)", now: .zero) }
        #expect(told == 10)
        let summary = budget.summary(now: .seconds(1), isEnd: true)
        #expect(summary == 490)
    }

    @Test func nothing_isSummedUp_whereAllWasTold() {
        var budget = NewsBudget(perSource: 3, inAll: 10, window: minute)
        var summaries = [budget.summary(now: .zero)]
        let told = (0..<3).count { _ in budget.admits("a", now: .zero) }
        summaries.append(budget.summary(now: .seconds(90)))
        #expect(told == 3 && summaries == [nil, nil])
    }

    @Test func lines_areBounded_whateverComes() {
        for seed in UInt64(0)..<200 {
            var generator = SeededGenerator(seed: seed)
            var budget = NewsBudget(perSource: 5, inAll: 20, window: minute)
            var (lines, events, summed) = (0, 0, 0)
            for millisecond in stride(from: 0, to: 600_000, by: 500) {
                let now = Duration.milliseconds(millisecond)
                if let count = budget.summary(now: now) {
                    lines += 1
                    summed += count
                }
                for _ in 0..<Int.random(in: 0...3, using: &generator) {
                    events += 1
                    let source = "\(Int.random(in: 0..<8, using: &generator))"
                    if budget.admits(source, now: now) { lines += 1 } else { summed += 1_000_000 }
                }
            }
            summed += budget.summary(now: .seconds(600), isEnd: true) ?? 0
            // Ten minutes, 20 lines and one in each; and each event is told or counted.
            #expect(lines <= 11 * 21)
            let (heldBack, counted) = (summed / 1_000_000, summed % 1_000_000)
            #expect(heldBack == counted && heldBack > 0 && events > lines)
        }
    }
}
