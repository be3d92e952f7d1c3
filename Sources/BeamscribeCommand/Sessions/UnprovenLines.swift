import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials

/// Lines of a signed log that are not as their writer signed them: the disk has damaged them, or
/// somebody has changed them. A log that this machine writes itself is compared with its notes.
enum UnprovenLines: Equatable {
    /// The record is not the writer's, so that no line can be verified.
    case all
    /// These lines, and all after the last one, where that is less than the log has; and the
    /// log once had lines through this one.
    case some([ClosedRange<Int>], after: Int, through: Int)
    /// These lines; and the log once had lines through this one.
    case noted([ClosedRange<Int>], through: Int)

    /// - Returns: nil for a log that is not signed, or cannot be read.
    init?(in log: SessionLog, of record: SessionRecord, in store: SessionStore) {
        guard record.writer != nil, let crypto = try? LogSHA256(),
            let session = UUID(uuidString: record.session)
        else { return nil }
        guard record.held != nil else {
            let notes = store.checkpoints(of: record.session)
            var check = JournalCheck(
                of: session, noted: notes, within: log.boundaries(of: record), by: crypto)
            guard Self.read(log, { check.read($0) }) else { return nil }
            self = .noted(check.damaged, through: check.lastNoted)
            return
        }
        let notes = store.checkpoints(of: record.session)
        guard
            var recovery = HeldRecovery(
                of: record, limit: Limits.chunk, notes: { notes }, lastNoted: notes.newest,
                by: crypto)
        else {
            self = .all
            return
        }
        do throws(SystemError) {
            try log.readAll { recovery.read($0, at: $1) }
        } catch {
            return nil
        }
        let last = recovery.lastSeq
        self = .some(
            recovery.damaged, after: last, through: recovery.missingEnd?.upperBound ?? last)
    }

    private static func read(
        _ log: SessionLog, _ take: (UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        do throws(SystemError) {
            try log.readAll { bytes, offset in
                take(bytes)
                return bytes.isEmpty ? nil : offset + UInt64(clamping: bytes.count)
            }
            return true
        } catch {
            return false
        }
    }

    /// Lines that were at the end of the log, and are not there any more; nil for none.
    ///
    /// - Parameters:
    ///   - lastSeq: the last line of the log.
    ///   - isInUse: whether somebody writes the log.
    func cutOff(after lastSeq: Int, isInUse: Bool) -> ClosedRange<Int>? {
        let through: Int
        switch self {
        case .all: return nil
        case .some(_, _, let last), .noted(_, let last): through = last
        }
        return isInUse || through <= lastSeq ? nil : lastSeq + 1...through
    }

    /// Returns the lines among those that are written.
    ///
    /// - Parameters:
    ///   - range: the lines that are written.
    ///   - lastSeq: the last line of the log.
    ///   - isInUse: whether somebody writes the log, and may not have signed its end yet.
    func lines(
        in range: ClosedRange<Int>, through lastSeq: Int, isInUse: Bool
    ) -> [ClosedRange<Int>] {
        guard lastSeq > 0 else { return [] }
        let lines: [ClosedRange<Int>]
        switch self {
        case .all: lines = [1...lastSeq]
        case .some(let damaged, let after, _):
            lines = damaged + (isInUse || after >= lastSeq ? [] : [after + 1...lastSeq])
        case .noted(let damaged, _): lines = damaged
        }
        return lines.filter { $0.overlaps(range) }.map { $0.clamped(to: range) }
    }
}
