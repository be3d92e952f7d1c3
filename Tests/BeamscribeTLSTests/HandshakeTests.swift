import BeamscribeCore
import BeamscribeTLS
import Testing

/// The handshake between our own two ends: who is let in, and what each side learns.
@Suite struct HandshakeTests {
    private let proof: Proof

    init() throws {
        proof = try Proof()
    }

    @Test func guest_seesTheHostsKey() throws {
        let pair = try proof.established()
        #expect(pair.isEstablished)
        #expect(pair.guest.connection.hostFingerprint == proof.key.fingerprint)
        #expect(pair.host.connection.hostFingerprint == nil)
        #expect(pair.host.error == nil && pair.guest.error == nil)
    }

    @Test func host_isNotEstablished_beforeTheLastByteOfTheHandshake() throws {
        let pair = try proof.pair()
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
        let pair = try proof.pair()
        #expect(pair.host.send([1, 2, 3]) == 0)
        #expect(pair.guest.send([1, 2, 3]) == 0)
        #expect(!pair.host.connection.hasOutput, "A host says nothing before it is asked.")
        pair.settle()
        #expect(pair.host.heard.isEmpty && pair.guest.heard.isEmpty)
    }

    @Test func exportedKey_isTheSameAtBothEnds_andOfThisConnectionOnly() throws {
        var seen: Set<[UInt8]> = []
        for _ in 0..<50 {
            let pair = try proof.established()
            let key = try pair.host.connection.exportedKey()
            #expect(try pair.guest.connection.exportedKey() == key)
            #expect(key.count == 32 && seen.insert(key).inserted)
        }
    }

    @Test func keysOfVoices_areTheSameAtBothEnds_andAnotherForEachNumber() throws {
        let pair = try proof.established()
        var seen: Set<[UInt8]> = [try pair.host.connection.exportedKey()]
        for number in [0, 1, 2, 255, 256, 1 << 24, UInt32.max] {
            let key = try pair.host.connection.exportedKey(.voice(number))
            #expect(try pair.guest.connection.exportedKey(.voice(number)) == key)
            #expect(key.count == 56 && seen.insert(key).inserted)
        }
    }

    @Test func exportedKey_isNotToBeHad_beforeTheHandshakeIsDone() throws {
        let pair = try proof.pair()
        #expect(throws: TLSError.self) { try pair.host.connection.exportedKey() }
        #expect(throws: TLSError.self) { try pair.guest.connection.exportedKey() }
    }
}
