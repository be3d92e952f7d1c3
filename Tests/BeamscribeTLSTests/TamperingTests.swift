import BeamscribeTLS
import Testing

/// Whoever changes what goes over the wire ends the connection, and no more.
@Suite struct TamperingTests {
    private let proof: Proof
    private let said = (0..<200).map { UInt8($0) }

    init() throws {
        proof = try Proof()
    }

    /// A whole conversation. Where a byte was lengthened into a record that never comes, what
    /// follows is swallowed by it: 50 kB are more than a record holds.
    private func converse(_ pair: TLSPair) {
        pair.settle()
        for _ in 1...3 {
            pair.send(said, from: pair.host)
            pair.send(said, from: pair.guest)
        }
        for _ in 1...250 where pair.isEstablished {
            pair.send(said, from: pair.host)
            pair.send(said, from: pair.guest)
        }
    }

    private func isPrefix(_ heard: [UInt8]) -> Bool {
        heard.indices.allSatisfy { heard[$0] == said[$0 % said.count] }
    }

    /// How many bytes each end sends up to the end of the first few packets.
    private func lengths() throws -> (guest: Int, host: Int) {
        let pair = try proof.established()
        pair.send(said, from: pair.host)
        pair.send(said, from: pair.guest)
        return (pair.guest.sent.count, pair.host.sent.count)
    }

    @Test(arguments: [false, true])
    func connection_ends_whenOneBitIsFlippedAnywhere(byHost: Bool) throws {
        let lengths = try lengths()
        for place in 0..<(byHost ? lengths.host : lengths.guest) {
            let pair = try proof.pair()
            let bit = UInt8(1) << UInt8.random(in: 0..<8)
            let (sender, receiver) = byHost ? (pair.host, pair.guest) : (pair.guest, pair.host)
            sender.flips = (place, bit)
            converse(pair)
            #expect(isPrefix(receiver.heard) && isPrefix(sender.heard), "byte \(place)")
            // The version in a record means nothing (RFC 8446, section 5.1); OpenSSL passes over
            // its second half in each side's first record.
            if place == 2 { continue }
            #expect(
                pair.guest.error != nil || pair.host.error != nil || !pair.isEstablished,
                "bit \(bit) of byte \(place)")
        }
    }

    @Test func connection_ends_whenARecordIsRepeatedLeftOutOrMoved() throws {
        for change in 0..<3 {
            let pair = try proof.established()
            var records: [[UInt8]] = []
            for number in 1...3 {
                _ = pair.host.send([UInt8(number)])
                _ = pair.host.flush(atMost: .max)
                records.append(pair.host.takeFromWire(atMost: .max))
            }
            let order = [[0, 0, 1, 2], [0, 2], [1, 0, 2]][change]
            for index in order { pair.guest.receive(records[index]) }
            #expect(pair.guest.error != nil)
            #expect(pair.guest.heard == [[1], [1], []][change])
        }
    }

    // MARK: The end

    @Test func end_isInGoodOrder_onlyWhereTheOtherSideSaysSo() throws {
        let pair = try proof.established()
        pair.send(said, from: pair.host)
        pair.host.connection.finishSending()
        _ = pair.host.flush(atMost: .max)
        let farewell = pair.host.takeFromWire(atMost: .max)
        pair.guest.receive(Array(farewell.dropLast()))
        #expect(pair.guest.error == nil, "A cut-off end is none.")
        pair.guest.receive(Array(farewell.suffix(1)))
        #expect(pair.guest.error == .closed)
        #expect(pair.guest.heard == said)
    }

    @Test func guest_mayStillSpeak_whenTheHostHasFinished() throws {
        let pair = try proof.established()
        pair.host.connection.finishSending()
        pair.settle()
        #expect(pair.guest.error == .closed)
        #expect(pair.guest.send(said) == said.count)
        pair.settle()
        #expect(pair.host.heard == said)
    }

    /// Anybody on the way could say so.
    @Test func end_isNotBelieved_whenItIsNotEncrypted() throws {
        let pair = try proof.established()
        pair.guest.receive([21, 3, 3, 0, 2, 1, 0])
        guard case .violation = pair.guest.error else {
            Issue.record("the guest says \(String(describing: pair.guest.error))")
            return
        }
    }

    /// Somebody on the way can say this before there are keys, and must not get the connection back.
    @Test func handshake_doesNotGoOn_afterItsEnd() throws {
        let pair = try TLSPair(TLSContext(host: HostKey()), .guest())
        _ = pair.guest.flush(atMost: .max)
        pair.host.receive(pair.guest.takeFromWire(atMost: .max))
        _ = pair.host.flush(atMost: .max)
        let answer = pair.host.takeFromWire(atMost: .max)
        func hear(_ bytes: [UInt8]) -> TLSError? {
            do throws(TLSError) {
                try bytes.span.withUnsafeBytes { raw throws(TLSError) in
                    try pair.guest.connection.receive(raw) { _ in true }
                }
                return nil
            } catch {
                return error
            }
        }
        // A warning that it is closed, by RFC 8446, section 6.
        let ending = hear([21, 3, 3, 0, 2, 1, 0])
        #expect(ending != nil && hear(answer) == ending)
        #expect(!pair.guest.connection.isEstablished)
    }
}
