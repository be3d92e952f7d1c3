import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// Runs seeds one after the other, on every processor, until one fails or time is up.
final class SeedHunt: Sendable {
    private let next: Atomic<UInt64>
    private let last: UInt64
    private let end: ContinuousClock.Instant?
    private let count = Atomic<Int>(0)
    /// The sum of what the runs hash to, in whatever order.
    private let hashes = Atomic<UInt64>(0)
    private let hasFailed = Atomic<Bool>(false)
    private let goesOn: Bool
    private let kind: SimulatedKind
    private static let threads = 2

    /// - Parameters:
    ///   - seconds: after which no further seed is begun; 0 for no such end.
    ///   - goesOn: whether to go on after a failure and to tell of each in one line.
    init(
        from first: UInt64, through last: UInt64, seconds: Int, goesOn: Bool = false,
        _ kind: SimulatedKind
    ) {
        self.goesOn = goesOn
        self.kind = kind
        next = Atomic(first)
        self.last = last
        end = seconds > 0 ? ContinuousClock.now + .seconds(seconds) : nil
    }

    /// Does not come back: ends the program with 0, or with 1 where a seed failed.
    func run() -> Never {
        DispatchQueue.concurrentPerform(iterations: Self.threads) { _ in hunt() }
        let hash = String(hashes.load(ordering: .relaxed), radix: 16)
        print("\(count.load(ordering: .relaxed)) seeds were run, and all that happened is \(hash)")
        exit(hasFailed.load(ordering: .relaxed) ? 1 : 0)
    }

    private var isOver: Bool { end.map { $0 <= .now } ?? false }

    private func hunt() {
        while goesOn || !hasFailed.load(ordering: .relaxed), !isOver {
            let seed = next.wrappingAdd(1, ordering: .relaxed).oldValue
            guard seed <= last else { return }
            let verdict = Verdict.of(kind, seed: seed)
            let done = count.wrappingAdd(1, ordering: .relaxed).newValue
            hashes.wrappingAdd(verdict.hash, ordering: .relaxed)
            if let failure = verdict.failure {
                if goesOn { print("seed \(seed): \(failure)") }
                guard !hasFailed.exchange(true, ordering: .relaxed), !goesOn else { continue }
                print(verdict.report(failure))
            } else if done % 1_000 == 0 {
                print("\(done) seeds, the last was \(seed)")
                fflush(nil)
            }
        }
    }
}
