/// What waits for the command of `--exec`.
///
/// Invariant: at most ``limit`` wait; where there were more, the oldest went, and are counted.
struct ExecQueue {
    let limit: Int
    private var waiting: [ExecRun] = []
    private var next = 0
    /// How many went without their command.
    private(set) var dropped = 0

    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { waiting.count - next }

    /// - Returns: whether this is the first that made another one go.
    mutating func append(_ run: ExecRun) -> Bool {
        waiting.append(run)
        guard count > limit else { return false }
        next += 1
        dropped += 1
        compact()
        return dropped == 1
    }

    mutating func popFirst() -> ExecRun? {
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
