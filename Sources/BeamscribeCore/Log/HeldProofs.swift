/// What proves a log that another has written, as it came: whoever holds the log passes it on.
///
/// Invariant: a head is given out only where all lines that it counts are there, or all that are of
/// the event, or where the event is over.
struct HeldProofs {
    /// The log's newest record, as a frame.
    private(set) var record: [UInt8]
    /// The newest head of which all lines were there when the next one came.
    private var covered: Head?
    private var newest: Head?
    /// Whether no line of the event follows those that are there, the last of which is signed.
    var isWhole = false
    /// Whether the event is over: the newest head tells readers what is missing.
    var isLast = false
    /// The number of the one that everybody of an audience was told.
    private var told: [NewestHead.Audience: Int] = [:]

    private struct Head {
        let frame: [UInt8]
        let said: LogHead
        let number: Int
        var seq: Int { said.seq }
    }

    init(record: UnsafeRawBufferPointer) {
        self.record = FrameEncoder.frame(record)
    }

    /// Its writer says anew what the log is.
    mutating func take(record: UnsafeRawBufferPointer) { self.record = FrameEncoder.frame(record) }

    /// The writer's newest head.
    ///
    /// - Parameter seq: the newest line that is here.
    mutating func take(_ head: LogHead, as payload: UnsafeRawBufferPointer, through seq: Int) {
        covered = self.head(through: seq)
        newest = Head(
            frame: FrameEncoder.frame(payload), said: head, number: (newest?.number ?? 0) + 1)
    }

    private func head(through seq: Int) -> Head? {
        newest.flatMap { $0.seq <= seq || isWhole || isLast ? $0 : nil } ?? covered
    }

    /// The newest head of which all lines through `seq` are there.
    func coveredFrame(through seq: Int) -> [UInt8]? {
        (newest.flatMap { $0.seq <= seq ? $0 : nil } ?? covered)?.frame
    }

    /// The newest head, for a reader who can have the lines through `seq`.
    func frame(through seq: Int) -> [UInt8]? { head(through: seq)?.frame }

    /// What it says.
    func said(through seq: Int) -> LogHead? { head(through: seq)?.said }

    /// How many lines that counts.
    func countedLines(through seq: Int) -> Int? { head(through: seq).map { min($0.seq, seq) } }

    /// The same, where it was not told everybody of an audience yet.
    mutating func dueFrame(through seq: Int, for audience: NewestHead.Audience) -> [UInt8]? {
        guard let head = head(through: seq), head.number > told[audience] ?? 0 else { return nil }
        told[audience] = head.number
        return head.frame
    }
}
