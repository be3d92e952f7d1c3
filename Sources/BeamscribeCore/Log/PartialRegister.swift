/// The newest partial of each open line, as frames.
///
/// Partials are not in the transcript: only the newest is owed to a guest, and only once it has
/// drained the transcript. A guest remembers the stamp of the newest partial it was given.
///
/// Invariant: a line is in one of `open` and `withdrawn`, and in both stamps rise; nothing that is not
/// sealed is read. Whoever has read up to a stamp shows no line but those that were open then, and each
/// that is not open any more is in `withdrawn` or has its final.
struct PartialRegister {
    private struct Newest {
        let stamp: UInt64
        var frame: [UInt8]
        var isSealed = false
    }

    private var open = OpenLines<String, Newest>()
    /// Lines that were withdrawn, which must not push out those that are open.
    private var withdrawn = OpenLines<String, Newest>(limit: Limits.withdrawnLines)
    /// The newest that was taken in.
    private var takenStamp: UInt64 = 0
    /// The newest that may be read.
    private(set) var newestStamp: UInt64 = 0
    private var revisions: [String: Int] = [:]

    /// The lines that are open.
    var openLines: [String] { open.entries.map(\.id) }

    /// The line that has to be withdrawn before `line` may be open; nil where there is room.
    func displaced(by line: String) -> String? { open.displaced(by: line)?.id }

    /// The revision that the next partial of `line` carries.
    mutating func nextRevision(of line: String) -> Int {
        let revision = (revisions[line] ?? 0) + 1
        revisions[line] = revision
        return revision
    }

    /// Takes in the newest partial of `line`; the one before is forgotten.
    mutating func set(line: String, frame: [UInt8], isWithdrawal: Bool) {
        open.close(line)
        withdrawn.close(line)
        takenStamp += 1
        let newest = Newest(stamp: takenStamp, frame: frame)
        let oldest = isWithdrawal ? withdrawn.set(line, newest) : open.set(line, newest)
        if let oldest { revisions[oldest.id] = nil }
    }

    /// Lets everybody read what was taken in, once it is signed.
    ///
    /// - Parameter sign: the frame with its signature; nil where that fails, and then nothing new may
    ///   be read.
    mutating func seal(_ sign: ([UInt8]) -> [UInt8]?) {
        guard newestStamp < takenStamp else { return }
        var isWhole = true
        let seal: (inout Newest) -> Void = { newest in
            guard !newest.isSealed else { return }
            guard let frame = sign(newest.frame) else { return isWhole = false }
            (newest.frame, newest.isSealed) = (frame, true)
        }
        open.changeAll(seal)
        withdrawn.changeAll(seal)
        if isWhole { newestStamp = takenStamp }
    }

    /// Forgets `line`, whose final has come.
    mutating func close(line: String) {
        guard revisions.removeValue(forKey: line) != nil else { return }
        open.close(line)
        withdrawn.close(line)
    }

    /// The frames that a reader who has seen up to `stamp` is owed, oldest first. One who has seen
    /// none shows no line that would have to go.
    func frames(after stamp: UInt64) -> [[UInt8]] {
        guard stamp < newestStamp else { return [] }
        let all = (stamp == 0 ? open.entries : open.entries + withdrawn.entries).map(\.value)
        return all.filter { $0.stamp > stamp && $0.stamp <= newestStamp }.sorted {
            $0.stamp < $1.stamp
        }.map(\.frame)
    }
}
