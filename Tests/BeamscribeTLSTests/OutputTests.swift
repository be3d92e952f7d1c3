import BeamscribeTLS
import Testing

/// What waits to be flushed, and who is told of it.
@Suite struct OutputTests {
    private func pair() throws -> TLSPair {
        try .established(TLSContext(host: HostKey()), .guest())
    }

    @Test func output_waits_whenAGuestBegins() throws {
        let guest = TLSEnd(try TLSConnection(.guest()))
        #expect(guest.connection.hasOutput)
        #expect(guest.flush(atMost: .max) > 0)
        #expect(!guest.connection.hasOutput)
    }

    @Test func record_isTheOnlyOne_untilItIsFlushed() throws {
        let pair = try pair()
        let line = [UInt8]("a caption".utf8)
        #expect(!pair.host.connection.hasOutput)
        #expect(pair.host.send(line) == line.count)
        #expect(pair.host.connection.hasOutput)
        #expect(pair.host.send(line) == 0)
        pair.settle()
        #expect(!pair.host.connection.hasOutput)
        #expect(pair.guest.heard == line)
    }

    @Test func rest_waits_whenTheTransportIsFull() throws {
        let pair = try pair()
        let bytes = [UInt8](repeating: 7, count: TLSConnection.recordBytes)
        #expect(pair.host.send(bytes) == bytes.count)
        #expect(pair.host.flush(atMost: 100) == 100)
        #expect(pair.host.connection.hasOutput)
        pair.settle()
        #expect(pair.guest.heard == bytes)
    }

    @Test func alert_waits_whenTheOtherSideBreaksTheHandshake() throws {
        let host = TLSEnd(try TLSConnection(TLSContext(host: HostKey())))
        #expect(!host.connection.hasOutput)
        // A record with a handshake message of a type that there is not.
        host.receive([22, 3, 1, 0, 4, 99, 0, 0, 0])
        #expect(host.error != nil)
        #expect(host.connection.hasOutput)
        #expect(host.flush(atMost: .max) > 0)
        #expect(host.sent.first == 21)
    }

    @Test func farewell_waits_whenSendingHasFinished() throws {
        let pair = try pair()
        pair.host.connection.finishSending()
        #expect(pair.host.connection.hasOutput)
        pair.settle()
        #expect(pair.guest.error == .closed)
        #expect(!pair.host.connection.hasOutput)
    }
}
