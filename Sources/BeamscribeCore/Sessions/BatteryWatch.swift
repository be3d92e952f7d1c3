/// Notices when a battery runs low.
///
/// Invariant: says so once each time the level falls to ``threshold``; only a level well above it
/// makes the next time count.
public struct BatteryWatch: Sendable {
    /// The level at which to say so, in per cent.
    public static let threshold = 15
    private static let recovered = 18
    private var isLow = false

    /// Before the first look.
    public init() {}

    /// Takes in a look at the battery; true when that is worth an alert. A battery that is being
    /// charged is no worry.
    ///
    /// - Parameter percent: what is left; nil for a machine without a battery.
    public mutating func isNewlyLow(percent: Int?, isDischarging: Bool) -> Bool {
        guard let percent else { return false }
        if percent >= Self.recovered { isLow = false }
        guard !isLow, isDischarging, percent <= Self.threshold else { return false }
        isLow = true
        return true
    }
}
