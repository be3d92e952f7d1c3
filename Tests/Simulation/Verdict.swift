/// What is simulated.
enum SimulatedKind: String, CaseIterable {
    /// An event with its host, its guests and who serves it besides.
    case event
    /// The same without TLS.
    case plain
    /// An event in which everybody captions.
    case mesh
    /// An event's voices.
    case voice
    /// An event that a server of streams keeps.
    case backbone

    fileprivate func live(seed: UInt64, keepsTrace: Bool) -> World {
        switch self {
        case .event: Simulation.live(seed: seed, isPlain: false, keepsTrace: keepsTrace)
        case .plain: Simulation.live(seed: seed, isPlain: true, keepsTrace: keepsTrace)
        case .mesh: MeshSimulation.live(seed: seed, keepsTrace: keepsTrace)
        case .voice: VoiceSimulation.live(seed: seed, keepsTrace: keepsTrace)
        case .backbone: BackboneSimulation.live(seed: seed, keepsTrace: keepsTrace)
        }
    }
}

/// How the run of a seed ended.
struct Verdict {
    let kind: SimulatedKind
    let seed: UInt64
    let failure: String?
    let hash: UInt64
    let events: Int
    let trace: String

    /// Runs a seed. A run that fails is run again to tell what happened.
    static func of(_ kind: SimulatedKind, seed: UInt64, keepsTrace: Bool = false) -> Verdict {
        let world = SeededSecrets.with(seed: seed) { kind.live(seed: seed, keepsTrace: keepsTrace) }
        if world.failure != nil, !keepsTrace { return of(kind, seed: seed, keepsTrace: true) }
        return Verdict(
            kind: kind, seed: seed, failure: world.failure, hash: world.trace.hash,
            events: world.trace.events, trace: world.trace.text)
    }

    /// What failed, how to see it again, and what came before.
    func report(_ failure: String) -> String {
        """
        seed \(seed): \(failure)
        again: scripts/simulate\(kind == .event ? "" : " --\(kind)") --seed \(seed)
        \(trace)
        """
    }
}
