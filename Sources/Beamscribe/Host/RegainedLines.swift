import BeamscribeCore
import BeamscribeIO

/// Lines of a host's own log that its disk has lost, as somebody who holds the event gave them back.
///
/// Invariant: the host itself has signed the last of them, and by that all of them and what `hash` says
/// of the lines before.
struct RegainedLines: Sendable {
    /// The newest line before them: what the disk still has.
    let after: Int
    /// What the lines through that hash to.
    let hash: LogHash
    /// The lines, to the byte.
    let payloads: [[UInt8]]
    /// The log's runs, by the host's own word.
    let runs: SessionRuns
    /// The machine that had them, safe to show.
    let holder: String

    /// - Returns: nil where `log` has nothing behind line `seq`, or has not all of it.
    init?(after seq: Int, in log: EventLog, from holder: String) {
        guard log.isSigned, log.lastSeq > seq, log.firstSeq <= seq + 1,
            let hash = log.hash(before: seq + 1)
        else { return nil }
        var payloads: [[UInt8]] = []
        var next = seq + 1
        log.forEachPayload(from: next) { number, payload in
            guard number == next else { return }
            next += 1
            payloads.append(Array(payload))
        }
        guard log.lastSeq == next - 1 else { return nil }
        (after, self.hash, self.payloads) = (seq, hash, payloads)
        (runs, self.holder) = (log.runs, holder)
    }

    var count: Int { payloads.count }

    /// Whether these are more than others.
    func outnumber(_ others: RegainedLines?) -> Bool { count > others?.count ?? 0 }

    /// Whether they go on where a transcript ends: with the same words before them.
    func follow(_ transcript: Transcript) -> Bool {
        transcript.lastSeq == after && transcript.hash(before: after + 1) == hash
    }

    /// Writes them behind the lines that are on the disk.
    func append(to log: SessionLog, at offset: UInt64) throws(SystemError) {
        let bytes = payloads.flatMap { FrameEncoder.frame($0) }
        var written = 0
        while written < bytes.count {
            let rest = bytes[written...]
            written += try rest.withUnsafeBufferPointer { rest throws(SystemError) in
                try log.write(UnsafeRawBufferPointer(rest), at: offset + UInt64(clamping: written))
            }
        }
    }

    /// Puts them behind the lines that are in memory.
    func append(to transcript: Transcript) {
        for (index, payload) in payloads.enumerated() {
            payload.withUnsafeBytes { transcript.restore(payload: $0, seq: after + 1 + index) }
            while transcript.isOverLimit { transcript.evictOldest() }
        }
    }
}
