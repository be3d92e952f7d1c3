import Beamscribe
import BeamscribeCore
import FoundationEssentials
import NIOCore
import Testing

@testable import BeamscribeWeb

/// What phones that come at once read together.
@Suite struct SharedPiecesTests {
    private let positions = (0..<10).map { count in
        let now = Moment(uptime: .zero, wall: 0)
        let log = EventLog(session: UUID(), now: now)
        let publisher = Publisher(into: log)
        for number in 0..<count {
            publisher.publish(final: Caption(text: "line \(number)"), now: now)
        }
        return FeedPlace(log.reader(after: count))
    }

    private func piece(_ text: String, to end: Int) -> SharedPieces.Piece {
        .init(bytes: ByteBuffer(string: text), end: positions[end])
    }

    @Test func piece_isFoundByWhereItBegins() {
        var pieces = SharedPieces(limit: 3)
        #expect(pieces[positions[0]] == nil)
        pieces.add(piece("a", to: 1), at: positions[0])
        #expect(pieces[positions[0]]?.bytes == ByteBuffer(string: "a"))
        #expect(pieces[positions[0]]?.end == positions[1])
        #expect(pieces[positions[1]] == nil)
    }

    @Test func oldestPiece_goes_whereThereAreTooMany() {
        var pieces = SharedPieces(limit: 3)
        for number in 0..<9 {
            // What two phones have read at the same time counts once.
            for _ in 0..<2 { pieces.add(piece("\(number)", to: number + 1), at: positions[number]) }
            let held = (0..<9).filter { pieces[positions[$0]] != nil }
            #expect(held == Array(max(0, number - 2)...number))
        }
    }
}
