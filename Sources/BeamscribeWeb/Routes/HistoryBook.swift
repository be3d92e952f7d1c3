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

    /// The finals of a range, or its beginning; nil where they are not stored yet.
    func piece(_ range: ClosedRange<Int>) async -> Piece? {
        if let known = state.withLock({ $0.pieces[range] }) { return known }
        guard let history = await host.history(range) else { return nil }
        let now = await host.greeting()
        let head =
            #"{"type":"history","session":"\#(now.session)","run":\#(now.runs.count),"#
            + #""from":\#(history.range.lowerBound),"through":\#(history.range.upperBound)}"#
        let text = Array(head.utf8) + [UInt8(ascii: "\n")] + history.lines
        let piece = Piece(
            plain: ByteBuffer(bytes: text),
            compressed: Gzip.compressed(text).map { ByteBuffer(bytes: $0) })
        if history.range == range, text.count <= Limits.historyPieceKept { keep(piece, range) }
        return piece
    }

    private func keep(_ piece: Piece, _ range: ClosedRange<Int>) {
        state.withLock { state in
            guard state.pieces.updateValue(piece, forKey: range) == nil else { return }
            state.order.append(range)
            if state.order.count > limit { state.pieces[state.order.removeFirst()] = nil }
        }
    }
}
