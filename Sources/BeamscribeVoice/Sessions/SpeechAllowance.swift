import BeamscribeCore

/// How much a guest may send: what is over is dropped, and who goes on for 10 s has to go.
struct SpeechAllowance {
    private static let patience: Duration = .seconds(10)

    private var second: Duration = .zero
    private var packets = 0
    private var bytes = 0
    private var wasOver = false
    private var overSince: Duration?

    /// A packet of the guest's own came.
    ///
    /// - Returns: whether it may be passed on.
    mutating func take(_ count: Int, now: Duration) -> Bool {
        if now - second >= .seconds(1) {
            if !wasOver || !isRecent(now) { overSince = nil }
            (second, packets, bytes, wasOver) = (now, 0, 0, false)
        }
        packets += 1
        bytes += count
        guard packets > Limits.voicePackets || bytes > Limits.voiceBytes else { return true }
        wasOver = true
        overSince = overSince ?? now
        return false
    }

    /// Whether it has sent too much for so long that it is not to send at all.
    func isExhausted(now: Duration) -> Bool {
        overSince.map { now - $0 >= Self.patience && isRecent(now) } ?? false
    }

    /// Whether the second that was counted last, or the one after it, is not over: of whoever has sent much at once and then
    /// nothing, nothing more is counted.
    private func isRecent(_ now: Duration) -> Bool { now - second < .seconds(2) }
}
