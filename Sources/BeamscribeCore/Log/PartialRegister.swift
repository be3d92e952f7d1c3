/// The newest partial of each open line, as frames.
///
/// Partials are not in the transcript: only the newest is owed to a guest, and only once it has
/// drained the transcript. A guest remembers the stamp of the newest partial it was given.
///
/// Invariant: at most one entry a line, stamps rising; at most ``Limits/openLines`` entries of lines
/// that are open, and as many of lines that were withdrawn.
struct PartialRegister {
    struct Entry {
        let line: String
        let stamp: UInt64
        let frame: [UInt8]
        /// Whether it takes the line back.
        let isWithdrawal: Bool
    }

    private(set) var entries: [Entry] = []
    private(set) var newestStamp: UInt64 = 0
    private var revisions: [String: Int] = [:]

    /// The lines that are open, in the order of their newest partials.
    var openLines: [String] { entries.filter { !$0.isWithdrawal }.map(\.line) }

    /// The revision that the next partial of `line` carries.
    mutating func nextRevision(of line: String) -> Int {
        let revision = (revisions[line] ?? 0) + 1
        revisions[line] = revision
        return revision
    }

    /// Takes in the newest partial of `line`; the one before is forgotten.
    mutating func set(line: String, frame: [UInt8], isWithdrawal: Bool) {
        entries.removeAll { $0.line == line }
        newestStamp += 1
        entries.append(
            Entry(line: line, stamp: newestStamp, frame: frame, isWithdrawal: isWithdrawal))
        // Lines that were withdrawn must not push out those that are open.
        let alike = entries.filter { $0.isWithdrawal == isWithdrawal }
        for oldest in alike.prefix(max(0, alike.count - Limits.openLines)) {
            entries.removeAll { $0.stamp == oldest.stamp }
            revisions[oldest.line] = nil
        }
    }

    /// Forgets `line`, whose final has come.
    mutating func close(line: String) {
        guard revisions.removeValue(forKey: line) != nil else { return }
        entries.removeAll { $0.line == line }
    }

    /// The frames that a reader who has seen up to `stamp` is owed, oldest first.
    func frames(after stamp: UInt64) -> [[UInt8]] {
        guard stamp < newestStamp else { return [] }
        return entries.filter { $0.stamp > stamp }.map(\.frame)
    }
}
