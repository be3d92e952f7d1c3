import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials

/// A session's log as it was found.
struct RecoveredTranscript {
    /// The lines, the newest that memory may hold.
    let transcript: Transcript
    /// Rows of lines that the log lacks.
    let gaps: [ClosedRange<Int>]
    /// Lines that were at its end, as the log's notes show; nil for none.
    let lostEnd: ClosedRange<Int>?
    /// Lines that the disk has changed, as far as the log's notes show it.
    let damaged: [ClosedRange<Int>]
    /// The bytes behind its last whole line, and what became of them; nil for none.
    let tail: (bytes: UInt64, fate: TailFate)?
    /// How many lines were put back that the log had lost, and from whom; nil for none.
    let regained: (count: Int, holder: String)?
    /// Whether its lines are those that their writer has signed.
    let isProven: Bool

    /// What the host goes on with; nil for nothing.
    ///
    /// - Parameters:
    ///   - empty: a transcript that gets the lines.
    ///   - verifier: knows the host's own signatures.
    static func load(
        _ configuration: HostConfiguration, into empty: Transcript,
        provenBy verifier: (any LogVerifier)?
    ) throws(SystemError) -> RecoveredTranscript? {
        guard case .resumed(let session) = configuration.storage else { return nil }
        return try RecoveredTranscript(
            of: session, into: empty, provenBy: verifier, with: configuration.regained)
    }

    /// What an operator is to know of it.
    ///
    /// - Parameter lines: how many it has, as readers count them.
    func news(of session: UUID, lines: Int) -> [HostNews] {
        var news = [HostNews.resumed(session: session, lines: lines)]
        if let regained { news.append(.regained(lines: regained.count, from: regained.holder)) }
        if let tail { news.append(.logTail(bytes: tail.bytes, tail.fate)) }
        if !gaps.isEmpty { news.append(.logGaps(gaps)) }
        if let lostEnd { news.append(.logEndLost(lostEnd)) }
        if !damaged.isEmpty { news.append(.logDamaged(damaged)) }
        return news
    }

    /// Reads what is whole in the log of `session`, cuts off what a torn write has left at its end, puts
    /// back what came back, and has the disk confirm the rest.
    private init(
        of session: StoredSession, into empty: Transcript, provenBy verifier: (any LogVerifier)?,
        with lines: RegainedLines?
    ) throws(SystemError) {
        let log = session.files.log
        var recovery = JournalRecovery(into: empty, within: log.boundaries(of: session.record))
        try log.readAll { recovery.read($0, at: $1) }
        gaps = recovery.gaps
        let runs = session.record.sessionRuns ?? SessionRuns()
        isProven = verifier.map { recovery.isSigned(by: $0, in: runs) } ?? true
        damaged = isProven ? [] : try Self.damaged(in: session)
        var size = recovery.tail.upperBound
        if recovery.tail.isEmpty {
            tail = nil
        } else {
            let fate = session.files.cutOff(recovery.tail)
            if case .cutOff = fate { size = recovery.tail.lowerBound }
            tail = (UInt64(clamping: recovery.tail.count), fate)
        }
        transcript = recovery.transcript(logSize: size)
        if isProven, let lines, lines.follow(transcript) {
            try lines.append(to: log, at: size)
            lines.append(to: transcript)
            regained = (lines.count, lines.holder)
        } else {
            regained = nil
        }
        let (last, noted) = (transcript.lastSeq, session.files.lastCheckpoint())
        lostEnd = last < noted ? last + 1...noted : nil
        // What was read may be in the system's memory only, left there by a host that was killed.
        try log.synchronize()
        try session.files.synchronizeRecord()
    }

    /// Reads the log once more, and compares each line with what was noted of it.
    private static func damaged(
        in session: StoredSession
    ) throws(SystemError) -> [ClosedRange<Int>] {
        guard let id = UUID(uuidString: session.record.session), let hasher = try? LogSHA256()
        else { return [] }
        var check = JournalCheck(
            of: id, noted: session.files.checkpoints(),
            within: session.files.log.boundaries(of: session.record), by: hasher)
        try session.files.log.readAll { bytes, offset in
            check.read(bytes)
            return bytes.isEmpty ? nil : offset + UInt64(clamping: bytes.count)
        }
        return check.damaged
    }
}
