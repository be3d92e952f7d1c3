import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS

/// What was kept of an event for its host, as it was found and proven.
struct KeptLog {
    let stored: StoredSession
    let held: HeldLog
    /// Where new lines belong in the file.
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
        let files = stored.files
        guard
            var recovery = HeldRecovery(
                of: stored.record, limit: limit, notes: { files.checkpoints() },
                lastNoted: files.lastCheckpoint(), by: crypto)
        else {
            throw .notProven(session: stored.record.session)
        }
        do throws(SystemError) {
            let log = stored.files.log
            try log.readAll { recovery.read($0, at: $1) }
            let (proven, size) = (recovery.end, try log.status().size)
            tail =
                proven < size
                ? KeptTail(bytes: size - proven, fate: stored.files.cutOff(proven..<size)) : nil
            // What could not be copied is not written over: new lines come behind it.
            if case .stays? = tail?.fate { end = size } else { end = proven }
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
