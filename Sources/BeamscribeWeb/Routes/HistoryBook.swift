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
/// Those of another run of the host, or of another session, are others.
///
/// Invariant: `order` has the names of `pieces`, the oldest first, at most `limit`.
final class HistoryBook: Sendable {
    /// A piece as it goes over the wire.
    struct Piece: Sendable {
        let plain: ByteBuffer
        /// Nil where it would not be smaller.
        let compressed: ByteBuffer?
    }

    /// Which finals a piece has.
    private struct Name: Hashable {
        let session: String
        let run: Int
        let range: ClosedRange<Int>
    }

    private struct State {
        var pieces: [Name: Piece] = [:]
        var order: [Name] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int = Limits.sharedPieces) { self.limit = limit }

    /// The finals of a range, or its beginning, as whoever was greeted so by their source knows them; nil
    /// where they are not stored yet.
    func piece(
        _ range: ClosedRange<Int>, of greeting: FeedGreeting, from source: FeedSource
    ) async -> Piece? {
        let name = Name(session: greeting.session, run: greeting.runs.count, range: range)
        if let known = state.withLock({ $0.pieces[name] }) { return known }
        guard let history = await source.history(range), history.session == name.session,
            history.run == name.run
        else { return nil }
        let head =
            #"{"type":"history","session":"\#(name.session)","run":\#(name.run),"#
            + #""from":\#(history.range.lowerBound),"through":\#(history.range.upperBound)}"#
        let text = Array(head.utf8) + [UInt8(ascii: "\n")] + history.lines
        let piece = Piece(
            plain: ByteBuffer(bytes: text),
            compressed: Gzip.compressed(text).map { ByteBuffer(bytes: $0) })
        if history.range == range, text.count <= Limits.historyPieceKept { keep(piece, as: name) }
        return piece
    }

    private func keep(_ piece: Piece, as name: Name) {
        state.withLock { state in
            guard state.pieces.updateValue(piece, forKey: name) == nil else { return }
            state.order.append(name)
            if state.order.count > limit { state.pieces[state.order.removeFirst()] = nil }
        }
    }
}
