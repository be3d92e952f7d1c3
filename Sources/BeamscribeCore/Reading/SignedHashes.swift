/// What a log's writer has signed of its newest lines, and in heads of lines that are not here: whether he signs
/// another of one of them.
///
/// A state folder that was copied, and two hosts on it, or a writer who lies: two readers are told different
/// lines under one number. Whoever meets both knows.
///
/// Invariant: each line is there at most once of a run, with what its writer has signed of it, and there are
/// at most twice ``Limits/comparedLines``, and ``Limits/comparedHeads`` of heads.
final class SignedHashes {
    private struct Line {
        let seq: Int
        let run: Int
        let hash: LogHash
    }

    /// In the order in which they were proven.
    private var lines: [Line] = []
    /// What heads have said of lines that are not among those, in the order in which they came.
    private var heads: [Line] = []

    /// The writer has signed what the lines through one of them hash to.
    ///
    /// - Throws: where he has said something else in a head.
    func note(_ seq: Int, run: Int, _ hash: LogHash) throws(GuestViolation) {
        // Of runs that share a number two may have said different lines, and rightly so.
        guard run < Limits.runs, !has(seq, run: run) else { return }
        if !heads.isEmpty {
            try compareWithHeads(seq, run: run, hash)
            heads.removeAll { $0.seq == seq && $0.run == run }
        }
        lines.append(Line(seq: seq, run: run, hash: hash))
        if lines.count > 2 * Limits.comparedLines {
            lines.removeFirst(lines.count - Limits.comparedLines)
        }
    }

    /// The writer has signed in a head that the lines through `seq` hash to this.
    ///
    /// - Throws: where he has signed something else.
    func note(head seq: Int, run: Int, _ hash: LogHash) throws(GuestViolation) {
        guard run < Limits.runs else { return }
        try compare(seq, run: run, hash)
        guard !has(seq, run: run), !heads.contains(where: { $0.seq == seq && $0.run == run }) else {
            return
        }
        heads.append(Line(seq: seq, run: run, hash: hash))
        if heads.count > Limits.comparedHeads { heads.removeFirst() }
    }

    /// The writer has signed that the lines through `seq` hash to this, somewhere.
    ///
    /// - Throws: where he has signed something else.
    func compare(_ seq: Int, run: Int, _ hash: LogHash) throws(GuestViolation) {
        if let hashed = find(seq, run: run), hashed != hash { throw .forked(seq) }
        try compareWithHeads(seq, run: run, hash)
    }

    private func compareWithHeads(_ seq: Int, run: Int, _ hash: LogHash) throws(GuestViolation) {
        if heads.contains(where: { $0.seq == seq && $0.run == run && $0.hash != hash }) {
            throw .forked(seq)
        }
    }

    /// The log is another.
    func forget() { (lines, heads) = ([], []) }

    private func has(_ seq: Int, run: Int) -> Bool {
        guard let newest = lines.last, (newest.run, newest.seq) >= (run, seq) else { return false }
        return find(seq, run: run) != nil
    }

    private func find(_ seq: Int, run: Int) -> LogHash? {
        lines.last { $0.seq == seq && $0.run == run }?.hash
    }
}
