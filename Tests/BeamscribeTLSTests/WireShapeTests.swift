import BeamscribeTLS
import Testing

/// What goes over the wire besides the plaintext: as little as TLS 1.3 allows.
@Suite struct WireShapeTests {
    private let proof: Proof

    init() throws {
        proof = try Proof()
    }

    /// The types and lengths of the records in `bytes`, which begins with one.
    private func records(_ bytes: [UInt8]) -> [(type: UInt8, length: Int)] {
        var found: [(UInt8, Int)] = []
        var position = 0
        while position + 5 <= bytes.count {
            let length = Int(bytes[position + 3]) << 8 | Int(bytes[position + 4])
            found.append((bytes[position], length))
            position += 5 + length
        }
        #expect(position == bytes.count)
        return found
    }

    /// A ticket would be a record of the host's behind the handshake, and would outlive the event.
    @Test func host_sendsNoTicket_behindTheHandshake() throws {
        let pair = try proof.pair()
        _ = pair.guest.flush(atMost: .max)
        pair.host.receive(pair.guest.takeFromWire(atMost: .max))
        _ = pair.host.flush(atMost: .max)
        let answer = pair.host.sent.count
        pair.settle()
        #expect(pair.isEstablished)
        #expect(pair.host.sent.count == answer, "The last word of the handshake is the guest's.")
        pair.send([1, 2, 3], from: pair.host)
        // 3 bytes, the type and the tag (RFC 8446, section 5.2).
        let last = try #require(records(pair.host.sent).last)
        #expect(pair.host.sent.count == answer + 5 + 3 + 1 + 16)
        #expect(last.type == 23 && last.length == 20)
    }

    @Test func guest_sendsNoEarlyData() throws {
        let pair = try proof.pair()
        _ = pair.guest.flush(atMost: .max)
        // One record with one message, the ClientHello (1).
        let records = records(pair.guest.sent)
        #expect(records.count == 1 && records[0].type == 22 && pair.guest.sent[5] == 1)
        // The extension early_data (42) is of length 0: 00 2A 00 00.
        #expect(!contains(pair.guest.sent, [0, 42, 0, 0]))
    }

    @Test func twoConnections_shareNoKey() throws {
        let said = Array("the same words again and again".utf8)
        var seen: Set<[UInt8]> = []
        let (host, guest) = (try TLSContext(host: proof.key), try TLSContext.guest())
        for _ in 1...20 {
            let pair = try TLSPair.established(host, guest)
            for end in [pair.host, pair.guest] {
                for _ in 1...2 {
                    let before = end.sent.count
                    pair.send(said, from: end)
                    let record = Array(end.sent[before...])
                    #expect(record.count == 5 + said.count + 17)
                    #expect(!contains(record, Array(said.prefix(4))))
                    #expect(seen.insert(record).inserted)
                }
            }
        }
        #expect(seen.count == 80)
    }

    /// Nobody who listens may learn from the handshake what this is.
    @Test func handshake_doesNotSayWhatItIsFor() throws {
        let pair = try proof.established()
        for end in [pair.host, pair.guest] {
            #expect(!contains(end.sent, Array("beamscribe".utf8)))
        }
    }

    private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        bytes.indices.dropLast(part.count - 1).contains { bytes[$0...].starts(with: part) }
    }
}
