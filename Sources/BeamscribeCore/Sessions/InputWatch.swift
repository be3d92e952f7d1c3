/// Notices when a host's input says nothing for longer than people pause.
///
/// Invariant: an input that is quiet is told once, one that has stalled once, and once more when it
/// goes on.
public struct InputWatch: Sendable {
    /// What is worth saying.
    public enum Finding: Equatable, Sendable {
        /// It has been open for this long without a byte.
        case neverSaidAnything(Duration)
        /// It has said nothing for this long: perhaps nobody speaks.
        case quiet(Duration)
        /// It has said nothing for so long that something is wrong.
        case stalled(Duration)
    }

    /// After this without a single byte, block buffering in the recogniser is likely.
    public static let hintAfter = Duration.seconds(10)

    private var last = Duration.zero
    /// Whether anything has come yet.
    public private(set) var hasSpoken = false
    private var hasHinted = false
    private var isQuiet = false
    private var isStalled = false
    /// What gave it has gone, and nobody has said anything since.
    private var isLost = false

    /// Before the input is open.
    public init() {}

    /// The input is open.
    public mutating func begin(at now: Duration) {
        last = now
    }

    /// Bytes came; true where they end a stall.
    public mutating func arrived(at now: Duration) -> Bool {
        (last, hasSpoken, isQuiet) = (now, true, false)
        guard !isLost else { return false }
        defer { isStalled = false }
        return isStalled
    }

    /// What gave the input has gone, and another will; true where that begins a stall. Words end it,
    /// for a recogniser that does nothing but fail may print so.
    public mutating func lost() -> Bool {
        defer { (isStalled, isLost) = (true, true) }
        return !isStalled
    }

    /// Words came; true where they end the stall of a loss.
    public mutating func heardWords() -> Bool {
        defer { if isLost { (isStalled, isLost) = (false, false) } }
        return isLost
    }

    /// The input was not wanted until now: the time counts anew, and no stall is to be ended.
    public mutating func begin(anewAt now: Duration) {
        (last, isQuiet, isStalled, isLost) = (now, false, false, false)
    }

    /// How long nothing has come.
    public func age(_ now: Duration) -> Duration { now - last }

    /// When ``look(at:_:)`` is worth calling; nil for not before something has come.
    public func nextLook(_ timing: Timing) -> Duration? {
        if !hasSpoken, !hasHinted { return last + Self.hintAfter }
        guard !isStalled, let stalledAfter = timing.stalledAfter else { return nil }
        return last + (isQuietNext(timing) ? timing.quietAfter : stalledAfter)
    }

    private func isQuietNext(_ timing: Timing) -> Bool {
        !isQuiet && timing.quietAfter < timing.stalledAfter ?? .zero
    }

    /// What there is to be said now.
    public mutating func look(at now: Duration, _ timing: Timing) -> Finding? {
        guard let due = nextLook(timing), due <= now else { return nil }
        if !hasSpoken, !hasHinted {
            hasHinted = true
            return .neverSaidAnything(Self.hintAfter)
        }
        if isQuietNext(timing) {
            isQuiet = true
            return .quiet(timing.quietAfter)
        }
        isStalled = true
        return .stalled(timing.stalledAfter ?? age(now))
    }
}
