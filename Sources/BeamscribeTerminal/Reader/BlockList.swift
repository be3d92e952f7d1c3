import BeamscribeCore

/// The blocks of a document in the order in which they are shown, of which one can come between others.
///
/// They are kept in pieces, so that one more between 100,000 costs little more than at their end.
///
/// Invariant: no piece is empty, or longer than `longest`; `starts` has the number of blocks before each, and
/// `logs` those of which it has a block; the places of the blocks do not fall.
struct BlockList: Sendable {
    private static let longest = 512

    private var pieces: [[ReaderBlock]] = []
    private var starts: [Int] = []
    private var logs: [LogSet] = []
    private(set) var count = 0

    /// The piece in which the block with this index is.
    private func piece(of index: Int) -> Int {
        var (low, high) = (0, starts.count)
        if let last = starts.last, index >= last { return starts.count - 1 }
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= index { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }

    mutating func append(_ block: ReaderBlock) { insert(block, at: count) }

    /// Puts a block before the one with this index, or at the end.
    mutating func insert(_ block: ReaderBlock, at index: Int) {
        defer { count += 1 }
        if index == count, pieces.last.map({ $0.count >= Self.longest }) ?? true {
            pieces.append([block])
            logs.append(LogSet(block.log))
            return starts.append(count)
        }
        let piece = piece(of: index)
        logs[piece].formUnion(LogSet(block.log))
        pieces[piece].insert(block, at: index - starts[piece])
        for later in starts.indices.dropFirst(piece + 1) { starts[later] += 1 }
        if pieces[piece].count > Self.longest { split(piece) }
    }

    private mutating func split(_ piece: Int) {
        let half = pieces[piece].count / 2
        pieces.insert(Array(pieces[piece][half...]), at: piece + 1)
        pieces[piece].removeSubrange(half...)
        starts.insert(starts[piece] + half, at: piece + 1)
        // More than there are in one of them cost a look.
        logs.insert(logs[piece], at: piece + 1)
    }

    mutating func removeLast() {
        count -= 1
        pieces[pieces.count - 1].removeLast()
        guard pieces[pieces.count - 1].isEmpty else { return }
        pieces.removeLast()
        starts.removeLast()
        logs.removeLast()
    }

    /// The next index at which a block of one of `wanted` may be, behind one that has none: pieces without
    /// any are passed over. The number of blocks where none follows.
    func index(after index: Int, in wanted: LogSet) -> Int {
        guard index + 1 < count else { return count }
        let piece = piece(of: index + 1)
        if !logs[piece].isDisjoint(with: wanted) { return index + 1 }
        let next = logs[piece...].firstIndex { !$0.isDisjoint(with: wanted) }
        return next.map { starts[$0] } ?? count
    }

    /// The same before an index; -1 where none is.
    func index(before index: Int, in wanted: LogSet) -> Int {
        guard index > 0 else { return -1 }
        let piece = piece(of: index - 1)
        if !logs[piece].isDisjoint(with: wanted) { return index - 1 }
        let next = logs[..<piece].lastIndex { !$0.isDisjoint(with: wanted) }
        return next.map { starts[$0] + pieces[$0].count - 1 } ?? -1
    }

    /// The first index whose block belongs behind a place; the number of blocks where none does.
    ///
    /// - Parameter isBehind: whether a block's place is behind it; so is every later one's.
    func firstIndex(behind isBehind: (ReaderBlock.Place) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle].place) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// What is wrong; nil where nothing is.
    var brokenInvariant: String? {
        var before = 0
        for (start, piece) in zip(starts, pieces) {
            guard start == before, !piece.isEmpty, piece.count <= Self.longest else {
                return "a piece begins at \(start), and \(before) are before it"
            }
            before += piece.count
        }
        for (logs, piece) in zip(logs, pieces) where !piece.allSatisfy({ logs.contains($0.log) }) {
            return "a piece has a block of a log that it does not name"
        }
        let isWhole = starts.count == pieces.count && logs.count == pieces.count
        return before == count && isWhole ? nil : "\(before) of \(count)"
    }
}

/// Some of the logs of a document, by their numbers: those of the first 62, of all others, and of what is no
/// log's.
struct LogSet: OptionSet, Sendable {
    let rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }

    init(_ log: Int) {
        rawValue = 1 << UInt64(clamping: log == ReaderBlock.noLog ? 63 : min(log, 62))
    }

    func contains(_ log: Int) -> Bool { !isDisjoint(with: LogSet(log)) }
}

extension BlockList: RandomAccessCollection, MutableCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { count }

    subscript(index: Int) -> ReaderBlock {
        get {
            let piece = piece(of: index)
            return pieces[piece][index - starts[piece]]
        }
        _modify {
            let piece = piece(of: index)
            yield &pieces[piece][index - starts[piece]]
        }
    }
}
