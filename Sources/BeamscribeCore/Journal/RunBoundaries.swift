/// Where in a session's log its runs began, and with it which lines may stand before.
///
/// Damage may hide the last lines of a run from the next one, which then gives their numbers to
/// other words. Other damage may let them be seen again: they count no more.
///
/// Invariant: `offsets` rise, and `newest[i]` is the newest line that any run from the `i`-th on may
/// find before the `i`-th offset.
public struct RunBoundaries: Equatable, Sendable {
    private var offsets: [UInt64] = []
    private var newest: [Int] = []

    /// Nothing is known: of a log without its record, say.
    public init() {}

    /// The boundaries of runs, oldest first, in a log of `size` bytes. Of those that do not say
    /// where they began nothing is known. Those that say a place behind the log's end are not
    /// believed: damage there must not hide a whole log.
    init(_ runs: [SessionRecord.Run], inLogOf size: UInt64) {
        // The first begins where the log does, and nothing stands before it.
        for run in runs.dropFirst() {
            guard let offset = run.offset, offset <= size else { continue }
            // The log has been shorter since: what lies behind is a later run's.
            while let last = offsets.last, last >= offset {
                offsets.removeLast()
                newest.removeLast()
            }
            offsets.append(offset)
            newest.append(run.after)
        }
        for index in newest.indices.dropLast().reversed() {
            newest[index] = min(newest[index], newest[index + 1])
        }
    }

    /// Whether line `seq` may stand at `offset`, in bytes.
    func allow(_ seq: Int, at offset: UInt64) -> Bool {
        let run = firstRun(behind: offset)
        return run == newest.count || seq <= newest[run]
    }

    /// The first run that began behind `offset`, by its place here.
    private func firstRun(behind offset: UInt64) -> Int {
        var (low, high) = (0, offsets.count)
        while low < high {
            let middle = (low + high) / 2
            if offsets[middle] <= offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
