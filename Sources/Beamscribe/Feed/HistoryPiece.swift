import BeamscribeCore

/// Some of the history, as JSON lines: the finals of a range as they were sent, and what is missing
/// between them.
public struct HistoryPiece: Sendable {
    /// The session's id.
    public let session: String
    /// Which start of a host on it this is.
    public let run: Int
    /// The range, or its beginning where its finals are long.
    public let range: ClosedRange<Int>
    /// JSON objects in UTF-8, each with a line break behind it.
    public let lines: [UInt8]
}

extension EventLog {
    /// The finals of a range, at most about `limit` bytes of them, but at least one.
    ///
    /// - Returns: nil where not even the first can be read yet: it is not stored.
    func history(_ range: ClosedRange<Int>, limit: Int = Limits.historyPiece) -> HistoryPiece? {
        let encoder = HistoryEncoder(range)
        var position = FeedPlace(reader(after: range.lowerBound - 1))
        var lines: [UInt8] = []
        while position.seq <= range.upperBound, lines.count < limit {
            let batch = batch(from: position, by: encoder)
            position = batch.end
            lines += batch.bytes
            if batch.outcome != .more { break }
        }
        let end = min(range.upperBound, position.seq - 1)
        guard end >= range.lowerBound else { return nil }
        return HistoryPiece(
            session: self.session.wireName, run: runs.current, range: range.lowerBound...end,
            lines: lines)
    }
}

extension FeedGreeting {
    /// The finals that a reader means which knows this session by so many runs and asks for `count`
    /// of them before one; nil where the numbers are those of another session, or of another start of
    /// the host, which may have lost some and given theirs to others.
    public func history(
        of session: String, run: Int, before: Int, count: Int
    ) -> ClosedRange<Int>? {
        guard session == self.session, run == runs.count, count > 0,
            before > 1, before <= lastSeq + 1
        else { return nil }
        return max(1, before - count)...before - 1
    }
}

/// The packets of a range of finals, a line each, and of what is missing between them.
private struct HistoryEncoder: FeedEncoder {
    private let range: ClosedRange<Int>

    init(_ range: ClosedRange<Int>) {
        self.range = range
    }

    func append(_ item: Reader.Item, to bytes: inout [UInt8]) {
        switch item {
        case .final(let seq, let payload):
            guard range.contains(seq) else { return }
            BrowserCaption.withBody(of: payload) { bytes += $0 }
            bytes += "}\n".utf8
        case .gap(let lines):
            guard lines.overlaps(range) else { return }
            let part = lines.clamped(to: range)
            bytes +=
                #"{"type":"gap","from":\#(part.lowerBound),"through":\#(part.upperBound)}"#.utf8
            bytes.append(UInt8(ascii: "\n"))
        case .partial, .alert: break
        }
    }
}
