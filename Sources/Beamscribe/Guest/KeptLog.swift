import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS

/// What was kept of an event for its host, as it was found and proven.
struct KeptLog {
    let stored: StoredSession
    let held: HeldLog
    /// Where its lines end in the file.
    let end: UInt64
    /// What lay behind them; nil for nothing.
    let tail: KeptTail?

    /// Reads what is proven, and sets aside what lies behind it: what is written from now on goes there.
    ///
    /// - Parameter limit: memory for the lines, in bytes.
    init(
        _ stored: StoredSession, heldBy device: String, limit: Int = Limits.history,
        by crypto: LogSHA256, now: Moment
    ) throws(KeepingTrouble) {
        guard var recovery = HeldRecovery(of: stored.record, limit: limit, by: crypto) else {
            throw .notProven(session: stored.record.session)
        }
        do throws(SystemError) {
            let log = stored.files.log
            try log.readAll { recovery.read($0, at: $1) }
            end = recovery.end
            let size = try log.status().size
            tail =
                end < size
                ? KeptTail(bytes: size - end, fate: stored.files.cutOff(end..<size)) : nil
        } catch {
            throw .system(error)
        }
        held = recovery.log(heldBy: device, now: now)
        self.stored = stored
        // What was read may be in the system's memory only. Where the disk fails, that is seen later.
        try? stored.files.log.synchronize()
        try? stored.files.synchronizeRecord()
    }
}
