import Beamscribe
import BeamscribeCore
import NIOCore
import Synchronization

/// The history in pieces, for pages that began behind it: the finals of a range as they were sent,
/// one packet a line, below a line that says which they are.
///
/// Finals do not change while a host runs, so that pieces that several ask for are kept, and
/// compressed once.
///
/// Invariant: `order` has the ranges of `pieces`, the oldest first, at most `limit`.
final class HistoryBook: Sendable {
    /// A piece as it goes over the wire.
    struct Piece: Sendable {
        let plain: ByteBuffer
        /// Nil where it would not be smaller.
        let compressed: ByteBuffer?
    }

    private struct State {
        var pieces: [ClosedRange<Int>: Piece] = [:]
        var order: [ClosedRange<Int>] = []
    }

    private let host: Host
    private let limit: Int
    private let state = Mutex(State())

    init(_ host: Host, limit: Int = Limits.sharedPieces) {
        self.host = host
        self.limit = limit
    }

    /// The finals of a range, or its beginning where they are long: at least one, or what is said in
    /// the place of those that are gone.
    func piece(_ range: ClosedRange<Int>) async -> Piece {
        if let known = state.withLock({ $0.pieces[range] }) { return known }
        let (head, lines, end) = await read(range)
        let text = Array(head.utf8) + lines
        let piece = Piece(
            plain: ByteBuffer(bytes: text),
            compressed: Gzip.compressed(text).map { ByteBuffer(bytes: $0) })
        if end == range.upperBound, text.count <= Limits.historyPieceKept { keep(piece, range) }
        return piece
    }

    private func keep(_ piece: Piece, _ range: ClosedRange<Int>) {
        state.withLock { state in
            guard state.pieces.updateValue(piece, forKey: range) == nil else { return }
            state.order.append(range)
            if state.order.count > limit { state.pieces[state.order.removeFirst()] = nil }
        }
    }

    private func read(_ range: ClosedRange<Int>) async -> (String, [UInt8], end: Int) {
        let encoder = HistoryEncoder(range)
        var position = await host.reader(after: range.lowerBound - 1)
        var lines: [UInt8] = []
        while position.seq <= range.upperBound, lines.count < Limits.historyPiece {
            let batch = await host.feed(from: position, by: encoder)
            position = batch.end
            lines += batch.bytes
            if batch.outcome != .more { break }
        }
        let end = min(range.upperBound, position.seq - 1)
        let now = await host.greeting()
        let head =
            #"{"type":"history","session":"\#(now.session)","run":\#(now.runs.count),"#
            + #""from":\#(range.lowerBound),"through":\#(end)}"# + "\n"
        return (head, lines, end)
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
            bytes += payload
            bytes.append(UInt8(ascii: "\n"))
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
