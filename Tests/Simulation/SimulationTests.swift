import FoundationEssentials
import Testing

/// Events in which everything goes wrong; a failure names its seed. These few are played with the
/// checks of a debug build; `scripts/test` plays many more with `scripts/simulate`.
@Suite struct SimulationTests {
    /// The parts in which the seeds are run beside each other.
    private static let parts = 4

    @Test(arguments: 0..<parts)
    func everyEvent_keepsItsPromises_whateverHappens(_ part: Int) {
        check(SeedRange.fromEnvironment(usual: 100).part(part, of: Self.parts), .event)
    }

    @Test(arguments: 0..<parts)
    func everyEvent_keepsItsPromises_whenItIsNotEncrypted(_ part: Int) {
        check(SeedRange.fromEnvironment(usual: 100).part(part, of: Self.parts), .plain)
    }

    @Test(arguments: 0..<parts)
    func everyMesh_keepsItsPromises_whateverHappens(_ part: Int) {
        check(SeedRange.fromEnvironment(usual: 12).part(part, of: Self.parts), .mesh)
    }

    @Test(arguments: 0..<parts)
    func everyVoice_keepsItsPromises_whateverHappens(_ part: Int) {
        check(SeedRange.fromEnvironment(usual: 40).part(part, of: Self.parts), .voice)
    }

    @Test(arguments: 0..<parts)
    func everyServer_keepsItsEvent_whateverHappens(_ part: Int) {
        check(SeedRange.fromEnvironment(usual: 40).part(part, of: Self.parts), .backbone)
    }

    private func check(_ seeds: StrideThrough<UInt64>, _ kind: SimulatedKind) {
        for seed in seeds {
            let verdict = Verdict.of(kind, seed: seed)
            guard let failure = verdict.failure else { continue }
            Issue.record("\(verdict.report(failure))")
            return
        }
    }

    /// Keys and signatures, too. What ran before is another event the second time.
    @Test(arguments: SimulatedKind.allCases)
    func sameSeed_givesTheSameRun(_ kind: SimulatedKind) {
        // A mesh has twenty times as much to do as an event.
        let seeds = UInt64(1)...(kind == .mesh ? 10 : 40)
        let run = { Verdict.of(kind, seed: $0, keepsTrace: true) }
        let ones = seeds.map(run)
        for (one, other) in zip(ones.reversed(), seeds.reversed().map(run)) {
            #expect(one.hash == other.hash && one.events == other.events, "seed \(one.seed)")
            #expect(one.trace == other.trace, "seed \(one.seed)")
        }
    }
}
