import Beamscribe
import BeamscribeCore
import NIOCore

/// The pieces of the history that phones were given last: when a room comes in at once, all read
/// the same pieces, which need not be made, nor held, for each.
///
/// Only whole pieces belong here, which hold finals and nothing else: those never change.
///
/// Invariant: `order` has the positions of `pieces`, the oldest first, at most `limit`.
struct SharedPieces {
    /// What follows a position, and where the next piece begins.
    struct Piece {
        let bytes: ByteBuffer
        let end: FeedPlace
    }

    private let limit: Int
    private var pieces: [FeedPlace: Piece] = [:]
    private var order: [FeedPlace] = []

    init(limit: Int = Limits.sharedPieces) {
        self.limit = limit
    }

    /// The piece that begins at a position; nil where it is not here.
    subscript(position: FeedPlace) -> Piece? { pieces[position] }

    /// Takes in a piece that begins at a position; the oldest goes for it.
    mutating func add(_ piece: Piece, at position: FeedPlace) {
        guard pieces.updateValue(piece, forKey: position) == nil else { return }
        order.append(position)
        if order.count > limit { pieces[order.removeFirst()] = nil }
    }
}
