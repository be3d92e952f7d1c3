/// The newest alerts, for readers who come and look.
///
/// Invariant: stamps rise by one, and `frames` are those of the newest ones.
struct AlertHistory {
    private(set) var newestStamp: UInt64 = 0
    private var frames: [[UInt8]] = []

    mutating func add(_ frame: [UInt8]) {
        newestStamp += 1
        frames.append(frame)
        if frames.count > Limits.recentAlerts { frames.removeFirst() }
    }

    /// The frames that a reader who has seen up to `stamp` is owed, oldest first.
    func frames(after stamp: UInt64) -> ArraySlice<[UInt8]> {
        frames.suffix(Int(clamping: newestStamp - min(stamp, newestStamp)))
    }
}
