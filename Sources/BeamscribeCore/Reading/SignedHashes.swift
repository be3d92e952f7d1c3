/// What a log's writer has signed of its newest lines: whether he signs another of one of them.
///
/// A state folder that was copied, and two hosts on it, or a writer who lies: two readers are told different
/// lines under one number. Whoever meets both knows.
///
/// Invariant: each line is there at most once of a run, with what its writer has signed of it, and there are
/// at most twice ``Limits/comparedLines``.
final class SignedHashes {
    private struct Line {
        let seq: Int
        let run: Int
        let hash: LogHash
    }

    /// In the order in which they were proven.
    private var lines: [Line] = []

    /// The writer has signed what the lines through one of them hash to.
    func note(_ seq: Int, run: Int, _ hash: LogHash) {
        // Of runs that share a number two may have said different lines, and rightly so.
        guard run < Limits.runs, !has(seq, run: run) else { return }
        lines.append(Line(seq: seq, run: run, hash: hash))
        if lines.count > 2 * Limits.comparedLines {
            lines.removeFirst(lines.count - Limits.comparedLines)
        }
    }

    /// The writer has signed that the lines through `seq` hash to this, somewhere.
    ///
    /// - Throws: where he has signed something else.
    func compare(_ seq: Int, run: Int, _ hash: LogHash) throws(GuestViolation) {
        guard let hashed = find(seq, run: run), hashed != hash else { return }
        throw .forked(seq)
    }

    /// The log is another.
    func forget() { lines = [] }

    private func has(_ seq: Int, run: Int) -> Bool {
        guard let newest = lines.last, (newest.run, newest.seq) >= (run, seq) else { return false }
        return find(seq, run: run) != nil
    }

    private func find(_ seq: Int, run: Int) -> LogHash? {
        lines.last { $0.seq == seq && $0.run == run }?.hash
    }
}
