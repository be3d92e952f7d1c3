/// What others say, on its way by a guest's connection: what waits for longer than anybody wants to hear it is
/// dropped, the oldest first.
///
/// Invariant: frames are in the order in which they came.
struct WaitingVoices {
    private var frames: [(bytes: [UInt8], since: Duration)] = []

    /// Adds a frame, and drops what has waited for too long.
    mutating func add(_ frame: [UInt8], now: Duration) {
        let late = frames.prefix { now - $0.since > Limits.voiceByConnection }
        frames.removeFirst(late.count)
        frames.append((frame, now))
    }

    /// The next one; nil for none.
    mutating func takeFirst() -> [UInt8]? {
        frames.isEmpty ? nil : frames.removeFirst().bytes
    }
}
