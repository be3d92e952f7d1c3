import BeamscribeCore
import BeamscribeTLS
import Testing

/// The handshake between our own two ends: who is let in, and what each side learns.
@Suite struct HandshakeTests {
    private let proof: Proof

    init() throws {
        proof = try Proof()
    }

    @Test func guest_seesTheHostsKey_whenThereIsNoCode() throws {
        let pair = try proof.established(withCode: false)
        #expect(pair.isEstablished)
        #expect(pair.guest.connection.hostFingerprint == proof.key.fingerprint)
        #expect(pair.host.connection.hostFingerprint == nil)
        #expect(pair.host.error == nil && pair.guest.error == nil)
    }

    @Test func both_areSure_whenTheyKnowTheCode() throws {
        let pair = try proof.established(withCode: true)
        #expect(pair.isEstablished)
        #expect(pair.guest.connection.hostFingerprint == nil, "No key is shown.")
        #expect(pair.host.error == nil && pair.guest.error == nil)
    }

    @Test func host_learnsOfAWrongCode_andTheGuestOfARefusal() throws {
        let pair = try TLSPair.established(
            TLSContext(host: proof.code), .guest(code: proof.otherCode))
        #expect(pair.host.error == .wrongCode)
        #expect(pair.guest.error == .alert(.illegalParameter))
        expectNothing(of: pair)
    }

    @Test func guest_learnsThatACodeIsAskedFor_whenItHasNone() throws {
        let pair = try TLSPair.established(TLSContext(host: proof.code), .guest())
        guard case .violation = pair.host.error else {
            Issue.record("the host says \(String(describing: pair.host.error))")
            return
        }
        #expect(pair.guest.error == .alert(.handshakeFailure))
        expectNothing(of: pair)
    }

    /// A host of the same name without the code must not get a word of a guest that has it.
    @Test func guest_endsTheHandshake_whenTheHostShowsAKeyAndNoCode() throws {
        let pair = try TLSPair.established(TLSContext(host: proof.key), .guest(code: proof.code))
        #expect(pair.guest.error == .unprovenHost)
        guard case .alert = pair.host.error else {
            Issue.record("the host says \(String(describing: pair.host.error))")
            return
        }
        expectNothing(of: pair)
    }

    @Test(arguments: [false, true])
    func host_isNotEstablished_beforeTheLastByteOfTheHandshake(withCode: Bool) throws {
        let pair = try proof.pair(withCode: withCode)
        while !pair.guest.connection.isEstablished {
            _ = pair.guest.flush(atMost: .max) + pair.host.flush(atMost: .max)
            pair.host.receive(pair.guest.takeFromWire(atMost: .max))
            pair.guest.receive(pair.host.takeFromWire(atMost: .max))
        }
        _ = pair.guest.flush(atMost: .max)
        let last = pair.guest.takeFromWire(atMost: .max)
        for byte in last.dropLast() {
            pair.host.receive([byte])
            #expect(!pair.host.connection.isEstablished)
            #expect(pair.host.send([1]) == 0)
        }
        pair.host.receive(last.suffix(1))
        #expect(pair.host.connection.isEstablished)
    }

    @Test func send_takesNothing_beforeTheHandshakeIsDone() throws {
        for withCode in [false, true] {
            let pair = try proof.pair(withCode: withCode)
            #expect(pair.host.send([1, 2, 3]) == 0)
            #expect(pair.guest.send([1, 2, 3]) == 0)
            #expect(!pair.host.connection.hasOutput, "A host says nothing before it is asked.")
            pair.settle()
            #expect(pair.host.heard.isEmpty && pair.guest.heard.isEmpty)
        }
    }

    /// Neither side is established, so neither can have said or heard anything.
    private func expectNothing(of pair: TLSPair) {
        #expect(!pair.host.connection.isEstablished)
        #expect(pair.guest.connection.hostFingerprint == nil)
        #expect(pair.host.heard.isEmpty && pair.guest.heard.isEmpty)
        #expect(pair.host.send([1]) == 0)
    }
}
