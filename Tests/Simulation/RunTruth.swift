/// What a run of the host has said, and what it could still say: the measure for its guests.
final class RunTruth {
    let session: String
    /// From 1.
    let number: Int
    /// The newest line when the run began.
    let began: Int
    /// Whether lines of the run before are missing.
    let hasLost: Bool
    /// The text of each line from 1; nil for one that the log lacks.
    private(set) var texts: [String?]
    /// The time at which the run said each of its lines.
    private(set) var times: [Int: Int] = [:]
    /// The oldest line in memory.
    var firstInMemory = 1
    /// The newest line that a guest may have.
    var newestSent: Int
    /// The newest line that the disk has confirmed.
    var confirmed = 0
    /// Lines of which the operator was told that they could not be stored.
    var unstored: Set<Int> = []
    /// What it signs; nil where it signs nothing.
    var signed: SignedLines?

    init(session: String, number: Int, texts: [String?], hasLost: Bool) {
        self.session = session
        self.number = number
        self.texts = texts
        self.hasLost = hasLost
        began = texts.count
        newestSent = began
    }

    var lastSeq: Int { texts.count }
    /// Whether the log lacks lines before its last.
    var lacksLines: Bool { texts.contains(nil) }

    func add(_ text: String) { texts.append(text) }

    /// The run has said its lines up to one, the newest now.
    func note(linesThrough seq: Int, at time: Int) {
        var line = seq
        while line > began, times[line] == nil {
            times[line] = time
            line -= 1
        }
    }

    func text(of seq: Int) -> String? {
        texts.indices.contains(seq - 1) ? texts[seq - 1] : nil
    }
}
