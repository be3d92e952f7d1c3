import BeamscribeCore

/// Lines that wait for the command of `--exec`.
///
/// Invariant: at most ``limit`` wait; where there were more, the oldest went, and are counted.
struct LineQueue {
    struct Entry: Equatable {
        var line: TranscriptLine
        /// The line that it corrects in the end.
        var corrected: Int?
        var event: String
        /// What its log is called; nil for the main one.
        var log: String?
    }

    /// Half an hour of speech.
    static let standardLimit = 1_000

    let limit: Int
    private var waiting: [Entry] = []
    private var next = 0
    /// Lines that went without their command.
    private(set) var dropped = 0

    init(limit: Int = standardLimit) {
        self.limit = limit
    }

    var count: Int { waiting.count - next }

    /// - Returns: whether this is the first line that made another one go.
    mutating func append(_ entry: Entry) -> Bool {
        waiting.append(entry)
        guard count > limit else { return false }
        next += 1
        dropped += 1
        compact()
        return dropped == 1
    }

    mutating func popFirst() -> Entry? {
        guard count > 0 else { return nil }
        defer {
            next += 1
            compact()
        }
        return waiting[next]
    }

    /// Lets all go that wait, and says how many that were.
    mutating func removeAll() -> Int {
        defer { (waiting, next) = ([], 0) }
        return count
    }

    private mutating func compact() {
        guard next > limit || next == waiting.count else { return }
        waiting.removeFirst(next)
        next = 0
    }
}
