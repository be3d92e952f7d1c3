import FoundationEssentials
import Testing

/// Events in which everything goes wrong; a failure names its seed.
@Suite struct SimulationTests {
    /// The parts in which the seeds are run beside each other.
    private static let parts = 4

    @Test(arguments: 0..<parts)
    func everyEvent_keepsItsPromises_whateverHappens(_ part: Int) {
        let seeds = SeedRange.fromEnvironment()
        for seed in seeds.part(part, of: Self.parts) {
            let verdict = Simulation.run(seed: seed)
            guard let failure = verdict.failure else { continue }
            Issue.record("\(SeedRange.report(verdict, failure))")
            return
        }
    }

    @Test func sameSeed_givesTheSameRun() {
        for seed in UInt64(1)...20 {
            let (one, other) = (Simulation.run(seed: seed), Simulation.run(seed: seed))
            #expect(one.hash == other.hash && one.events == other.events, "seed \(seed)")
        }
    }
}
