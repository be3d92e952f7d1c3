import BeamscribeCore
import BeamscribeIO

/// A session's log as it was found.
struct RecoveredTranscript {
    /// The lines, the newest that memory may hold.
    let transcript: Transcript
    /// Rows of lines that the log lacks.
    let gaps: [ClosedRange<Int>]
    /// What was cut off at its end, and the file that has it.
    let cutOff: (bytes: UInt64, kept: String)?

    /// What `storage` holds already; nil for nothing.
    static func load(
        _ storage: HostConfiguration.Storage, limit: Int
    ) throws(SystemError) -> RecoveredTranscript? {
        guard case .resumed(let session) = storage else { return nil }
        return try RecoveredTranscript(of: session, limit: limit)
    }

    /// Reads the log of `session`, cuts off what is damaged at its end, and has the disk confirm
    /// the rest.
    ///
    /// - Parameter limit: the most bytes to keep in memory.
    init(of session: StoredSession, limit: Int) throws(SystemError) {
        let transcript = Transcript(limit: limit)
        var reader = JournalReader()
        try session.files.log.readAll { bytes in
            reader.read(bytes) { payload, _, seq in
                transcript.restore(payload: payload, seq: seq)
                while transcript.isOverLimit { transcript.evictOldest() }
            }
        }
        self.transcript = transcript
        gaps = reader.gaps
        cutOff =
            reader.damaged == 0
            ? nil : (reader.damaged, try session.files.cutOff(after: reader.intact))
        // What was read may be in the system's memory only, left there by a host that was killed.
        try session.files.log.synchronize()
    }
}
