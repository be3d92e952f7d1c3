import FoundationEssentials
import Testing

/// Events in which everything goes wrong; a failure names its seed.
@Suite struct SimulationTests {
    /// The parts in which the seeds are run beside each other.
    private static let parts = 4

    @Test(arguments: 0..<parts)
    func everyEvent_keepsItsPromises_whateverHappens(_ part: Int) {
        check(SeedRange.fromEnvironment(usual: 2_000).part(part, of: Self.parts), isPlain: false)
    }

    @Test(arguments: 0..<parts)
    func everyEvent_keepsItsPromises_whenItIsNotEncrypted(_ part: Int) {
        check(SeedRange.fromEnvironment(usual: 1_000).part(part, of: Self.parts), isPlain: true)
    }

    private func check(_ seeds: StrideThrough<UInt64>, isPlain: Bool) {
        for seed in seeds {
            let verdict = Simulation.run(seed: seed, isPlain: isPlain)
            guard let failure = verdict.failure else { continue }
            Issue.record("\(SeedRange.report(verdict, failure))")
            return
        }
    }

    /// Keys and ciphertext are others each time; what they weigh, and so all that happens, is not.
    @Test(arguments: [false, true])
    func sameSeed_givesTheSameRun(isPlain: Bool) {
        for seed in UInt64(1)...40 {
            let one = Simulation.run(seed: seed, isPlain: isPlain, keepsTrace: true)
            let other = Simulation.run(seed: seed, isPlain: isPlain, keepsTrace: true)
            #expect(one.hash == other.hash && one.events == other.events, "seed \(seed)")
            #expect(one.trace == other.trace, "seed \(seed)")
        }
    }
}
