import Foundation

/// A moment by which something must have happened.
///
/// Every duration is multiplied by the environment variable `BEAMSCRIBE_TEST_PATIENCE` (1 unless
/// set), so that a slow or busy machine needs one setting and no edits.
public struct Deadline: Sendable {
    /// The factor by which every duration is stretched.
    public static let patience: Double = {
        let text = ProcessInfo.processInfo.environment["BEAMSCRIBE_TEST_PATIENCE"]
        guard let factor = text.flatMap(Double.init), factor > 0, factor.isFinite else { return 1 }
        return factor
    }()

    /// For a wait that only a defect makes long: far more than anything takes on a machine that has
    /// other things to do, and short enough to see a test fail.
    public static let generous: Duration = .seconds(60)

    /// How long this deadline was when it was set, patience included.
    public let allowed: Duration
    private let instant: ContinuousClock.Instant

    /// A deadline `duration` from now, stretched by ``patience``.
    public init(in duration: Duration) {
        allowed = duration * Deadline.patience
        instant = .now + allowed
    }

    /// What is left, never below zero.
    public var remaining: Duration {
        max(.zero, ContinuousClock.now.duration(to: instant))
    }

    public var hasPassed: Bool { remaining == .zero }

    /// What is left in seconds, for Dispatch timers.
    var remainingSeconds: Double {
        remaining / .seconds(1)
    }

    /// What is left as `poll(2)` wants it: rounded up, so that a poll never spins at the end.
    var remainingMilliseconds: Int32 {
        Int32(clamping: Int((remainingSeconds * 1000).rounded(.up)))
    }
}
