import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS

/// Lines of a log that is kept for its writer, and that the writer has not signed as they are here:
/// the disk has damaged them, or somebody has changed them.
enum UnprovenLines: Equatable {
    /// The record is not the writer's, so that no line can be verified.
    case all
    /// These lines, and all after the last one, where that is less than the log has.
    case some([ClosedRange<Int>], after: Int)

    /// - Returns: nil for a log that this machine has written itself.
    init?(in log: SessionLog, of record: SessionRecord, in store: SessionStore) {
        guard record.held != nil, let crypto = try? LogSHA256() else { return nil }
        let notes = { store.checkpoints(of: record.session) }
        guard var recovery = HeldRecovery(of: record, limit: Limits.chunk, notes: notes, by: crypto)
        else {
            self = .all
            return
        }
        do throws(SystemError) {
            try log.readAll { recovery.read($0, at: $1) }
        } catch {
            return nil
        }
        self = .some(recovery.damaged, after: recovery.lastSeq)
    }

    /// - Parameters:
    ///   - range: the lines that are written.
    ///   - lastSeq: the last line of the log.
    ///   - isInUse: whether somebody writes the log, and may not have signed its end yet.
    /// - Returns: the lines among those that are written; none for none.
    func lines(
        in range: ClosedRange<Int>, through lastSeq: Int, isInUse: Bool
    ) -> [ClosedRange<Int>] {
        guard lastSeq > 0 else { return [] }
        guard case .some(let damaged, let after) = self else {
            return range.overlaps(1...lastSeq) ? [range.clamped(to: 1...lastSeq)] : []
        }
        let end = isInUse || after >= lastSeq ? [] : [after + 1...lastSeq]
        return (damaged + end).filter { $0.overlaps(range) }.map { $0.clamped(to: range) }
    }
}
