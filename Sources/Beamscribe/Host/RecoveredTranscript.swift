import BeamscribeCore
import BeamscribeIO

/// A session's log as it was found.
struct RecoveredTranscript {
    /// The lines, the newest that memory may hold.
    let transcript: Transcript
    /// Rows of lines that the log lacks.
    let gaps: [ClosedRange<Int>]
    /// The bytes behind its last whole line, and what became of them; nil for none.
    let tail: (bytes: UInt64, fate: TailFate)?

    /// What `storage` holds already; nil for nothing.
    static func load(
        _ storage: HostConfiguration.Storage, limit: Int
    ) throws(SystemError) -> RecoveredTranscript? {
        guard case .resumed(let session) = storage else { return nil }
        return try RecoveredTranscript(of: session, limit: limit)
    }

    /// Reads what is whole in the log of `session`, cuts off what a torn write has left at its end,
    /// and has the disk confirm the rest.
    ///
    /// - Parameter limit: the most bytes to keep in memory.
    init(of session: StoredSession, limit: Int) throws(SystemError) {
        let log = session.files.log
        var recovery = JournalRecovery(into: Transcript(limit: limit))
        try log.readAll { recovery.read($0, at: $1) }
        gaps = recovery.gaps
        var size = recovery.tail.upperBound
        if recovery.tail.isEmpty {
            tail = nil
        } else {
            let fate = session.files.cutOff(recovery.tail)
            if case .cutOff = fate { size = recovery.tail.lowerBound }
            tail = (UInt64(recovery.tail.count), fate)
        }
        transcript = recovery.transcript(logSize: size)
        // What was read may be in the system's memory only, left there by a host that was killed.
        try log.synchronize()
        try session.files.synchronizeRecord()
    }
}
