import BeamscribeTLS
import Testing

/// The bytes come through whole and in order, however the transport cuts them.
@Suite struct StreamTests {
    private let proof: Proof

    init() throws {
        proof = try Proof()
    }

    /// How a transport takes and gives bytes.
    enum Transport: CaseIterable {
        case whole, byteByByte, randomPieces, takesAFew, takesSomeAndGivesFewer

        func apply(to pair: TLSPair) {
            switch self {
            case .whole: break
            case .byteByByte: pair.piece = { 1 }
            case .randomPieces: pair.piece = { Int.random(in: 1...3_000) }
            case .takesAFew: pair.room = { Int.random(in: 1...7) }
            case .takesSomeAndGivesFewer:
                pair.room = { Int.random(in: 0...900) + 1 }
                pair.piece = { Int.random(in: 1...500) }
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func plaintext_comesWholeAndInOrder_overAny(_ transport: Transport) throws {
        var random = SystemRandomNumberGenerator()
        let pair = try proof.pair()
        transport.apply(to: pair)
        pair.settle()
        #expect(pair.isEstablished)
        let isSlow = transport == .byteByByte || transport == .takesAFew
        var (toHost, toGuest): ([UInt8], [UInt8]) = ([], [])
        for _ in 1...(isSlow ? 20 : 60) {
            let more = noise(Int.random(in: 0...(isSlow ? 900 : 40_000)), using: &random)
            toGuest += more
            pair.send(more, from: pair.host)
            let answer = noise(Int.random(in: 0...300), using: &random)
            toHost += answer
            pair.send(answer, from: pair.guest)
        }
        #expect(pair.guest.heard == toGuest)
        #expect(pair.host.heard == toHost)
        #expect(pair.guest.error == nil && pair.host.error == nil)
    }

    @Test func plaintext_comesWhole_inThousandsOfSizes() throws {
        var random = SystemRandomNumberGenerator()
        let pair = try proof.established()
        var (toHost, toGuest) = (0, 0)
        for _ in 1...3_000 {
            let more = noise(Int.random(in: 1...600), using: &random)
            let end = Bool.random() ? pair.host : pair.guest
            pair.send(more, from: end)
            let other = end === pair.host ? pair.guest : pair.host
            #expect(other.heard.suffix(more.count) == more[...])
            if other === pair.guest { toGuest += more.count } else { toHost += more.count }
        }
        #expect(pair.guest.heard.count == toGuest && pair.host.heard.count == toHost)
    }

    @Test(arguments: [1, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537, 1_000_000])
    func plaintext_comesWhole_atTheEdgesOfRecordsAndBuffers(size: Int) throws {
        var random = SystemRandomNumberGenerator()
        let said = noise(size, using: &random)
        let pair = try proof.established()
        pair.send(said, from: pair.host)
        #expect(pair.guest.heard == said)
        pair.send(said, from: pair.guest)
        #expect(pair.host.heard == said)
    }

    /// What waits for a slow reader is one record, so that what comes later can still take the
    /// place of what is out of date.
    @Test func end_holdsOneRecordAtMost_whenTheTransportIsFull() throws {
        let pair = try proof.established()
        let said = [UInt8](repeating: 7, count: 1_000_000)
        #expect(pair.host.send(said) == TLSConnection.recordBytes)
        #expect(pair.host.send(said) == 0)
        #expect(pair.host.flush(atMost: 100) == 100)
        #expect(pair.host.connection.hasOutput)
        #expect(pair.host.send(said) == 0, "Some of the record waits still.")
        let rest = pair.host.flush(atMost: .max)
        #expect((16_284...16_384).contains(rest))
        #expect(!pair.host.connection.hasOutput)
        #expect(pair.host.send(said) == TLSConnection.recordBytes)
    }

    @Test func receive_stops_whenItsReaderHasHadEnough() throws {
        let pair = try proof.established()
        _ = pair.host.send(Array(repeating: 1, count: 10))
        _ = pair.host.flush(atMost: .max)
        _ = pair.host.send(Array(repeating: 2, count: 10))
        _ = pair.host.flush(atMost: .max)
        let bytes = pair.host.takeFromWire(atMost: .max)
        var heard: [UInt8] = []
        try bytes.withUnsafeBytes {
            try pair.guest.connection.receive($0) {
                heard += $0
                return false
            }
        }
        #expect(heard == Array(repeating: 1, count: 10))
    }
}
