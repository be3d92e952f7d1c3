/// The pauses before a guest's tries to reconnect: none, then 1, 2, 4, 8, 10, 10... s, each but
/// the first within a fifth more or less, so that a room of guests does not come back in step.
///
/// Invariant: `attempts` counts the tries since the last ``reset()``.
public struct Backoff: Sendable {
    /// Tries since the last reset.
    public private(set) var attempts = 0
    private static let steps: [Double] = [0, 1, 2, 4, 8, 10]

    /// Before the first try.
    public init() {}

    /// The pause before the next try.
    public mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let step = Self.steps[min(attempts, Self.steps.count - 1)]
        attempts += 1
        return .seconds(saturating: step * Double.random(in: 0.8...1.2, using: &generator))
    }

    /// Starts over: the connection has held.
    public mutating func reset() {
        attempts = 0
    }
}
