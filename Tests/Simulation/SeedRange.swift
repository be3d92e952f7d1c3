import FoundationEssentials

/// The seeds to run.
///
///     BEAMSCRIBE_SIMULATE_SEED=N            one
///     BEAMSCRIBE_SIMULATE_SEEDS=FROM..TO    a range, both ends included
///     BEAMSCRIBE_SIMULATE_SEEDS=COUNT       that many from 1
struct SeedRange {
    private let first: UInt64
    private let last: UInt64

    /// - Parameter usual: how many where nothing else is said.
    static func fromEnvironment(usual: Int) -> SeedRange {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["BEAMSCRIBE_SIMULATE_SEED"].flatMap(UInt64.init) {
            return SeedRange(first: seed, last: seed)
        }
        let numbers = (environment["BEAMSCRIBE_SIMULATE_SEEDS"] ?? "\(usual)")
            .split(separator: ".").compactMap { UInt64($0) }
        switch numbers.count {
        case 1: return SeedRange(first: 1, last: max(1, numbers[0]))
        case 2 where numbers[0] <= numbers[1]:
            return SeedRange(first: numbers[0], last: numbers[1])
        default: fatalError("BEAMSCRIBE_SIMULATE_SEEDS must be a count or FROM..TO")
        }
    }

    /// Every so many of them, so that the parts take equally long.
    func part(_ part: Int, of parts: Int) -> StrideThrough<UInt64> {
        stride(from: first + UInt64(part), through: last, by: parts)
    }
}
