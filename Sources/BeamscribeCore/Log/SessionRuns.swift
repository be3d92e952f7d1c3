/// The times that a host was started on one session, and the last line it had each time.
///
/// After a loss of power a host may come back without the last second's lines and give their
/// numbers to other words. A guest that has lines of an earlier run can rely on those only that
/// every later run began with.
///
/// Invariant: `after` has an element a run, and the first is 0; but from ``Limits/runs`` on the
/// runs share one, the smallest of theirs.
public struct SessionRuns: Equatable, Sendable {
    /// For each run, the newest line when it began; 0 for the first.
    public private(set) var after: [Int]

    /// A session in its first run.
    public init() {
        after = [0]
    }

    /// The runs as a session's record or a handshake tells them; nil where that can't be.
    public init?(after: [Int]) {
        guard after.first == 0, after.allSatisfy({ $0 >= 0 }) else { return nil }
        let shared = after.dropFirst(Limits.runs - 1).min()
        self.after = after.prefix(Limits.runs - 1) + (shared.map { [$0] } ?? [])
    }

    /// The number of the run that is on, from 1.
    public var current: Int { after.count }

    /// The newest line when the run that is on began.
    public var currentBegan: Int { after[after.count - 1] }

    /// The number of the run in which line `seq` was said that is the session's now.
    func run(of seq: Int) -> Int { (after.lastIndex { $0 < seq } ?? 0) + 1 }

    /// Another run begins on a log that ends with line `seq`.
    public mutating func begin(after seq: Int) {
        if current < Limits.runs {
            after.append(seq)
        } else {
            after[current - 1] = min(currentBegan, seq)
        }
    }

    /// How many of the lines up to `seq` that somebody got in run `run` are still the session's.
    /// A run that is not told is taken for the one that is on.
    public func valid(through seq: Int, of run: Int?) -> Int {
        let run = min(max(run ?? current, 1), current)
        // Of runs that share a number nobody knows which one somebody means.
        return after[min(run, Limits.runs - 1)...].reduce(seq, min)
    }
}
