import BeamscribeCore

/// How often a guest may say something that others are told of: each word goes to all who hear him.
struct WordAllowance {
    /// As many at once as a minute of hasty keys may bring.
    private static let most = 20.0
    private static let perSecond = 5.0

    private var left = most
    private var last: Duration = .zero

    /// He says something.
    ///
    /// - Returns: whether it counts.
    mutating func take(now: Duration) -> Bool {
        left = min(Self.most, left + max(0, (now - last).milliseconds / 1_000) * Self.perSecond)
        last = now
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}
