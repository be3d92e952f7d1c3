import BeamscribeTLS
import Testing

/// What is no TLS 1.3 ends the connection with words, whoever says it.
@Suite struct ForeignPeerTests {
    private let proof: Proof

    init() throws {
        proof = try Proof()
    }

    /// A ClientHello as TLS 1.2 has it: without supported_versions.
    static let oldClientHello: [UInt8] = {
        let suites: [UInt8] = [0, 4, 0xC0, 0x2B, 0x00, 0x2F]
        let extensions: [UInt8] = [0, 8, 0, 10, 0, 4, 0, 2, 0, 0x17]
        let body = [3, 3] + [UInt8](repeating: 9, count: 32) + [0] + suites + [1, 0] + extensions
        return record([1, 0, 0, UInt8(body.count)] + body)
    }()

    /// A ServerHello as TLS 1.2 has it.
    static let oldServerHello: [UInt8] = {
        let body: [UInt8] = [3, 3] + [UInt8](repeating: 9, count: 32) + [0, 0xC0, 0x2B, 0]
        return record([2, 0, 0, UInt8(body.count)] + body)
    }()

    private static func record(_ message: [UInt8]) -> [UInt8] {
        [22, 3, 3, 0, UInt8(message.count)] + message
    }

    static let strange: [[UInt8]] = [
        oldClientHello, oldServerHello, Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8),
        Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), Array("SSH-2.0-OpenSSH_9.2\r\n".utf8),
        [UInt8](repeating: 0, count: 100), [UInt8](repeating: 0xFF, count: 100),
        [22, 3, 3, 0xFF, 0xFF] + [UInt8](repeating: 1, count: 70_000),
        [23, 3, 3, 0, 3, 1, 2, 3], [20, 3, 3, 0, 1, 2], [21, 3, 3, 0, 2, 2, 99],
        // The fatal protocol_version of a host that has TLS 1.2 only.
        [21, 3, 3, 0, 2, 2, 70],
    ]

    @Test(arguments: strange)
    func bothEnds_sayThatItIsNoTLS13(_ bytes: [UInt8]) throws {
        let pair = try proof.pair()
        for end in [pair.host, pair.guest] {
            end.receive(bytes)
            #expect(end.error != nil && end.error != .closed, "\(bytes.prefix(5))")
            #expect(!end.connection.isEstablished)
            #expect(!"\(try #require(end.error))".isEmpty)
            #expect(end.heard.isEmpty)
        }
    }

    @Test func host_saysWhichVersionItWants_toAGuestOfTLS12() throws {
        let pair = try proof.pair()
        pair.host.receive(Self.oldClientHello)
        _ = pair.host.flush(atMost: .max)
        // A fatal alert: protocol_version (RFC 8446, section 6).
        #expect(pair.host.sent.suffix(4) == [0, 2, 2, 70] && pair.host.sent.count == 7)
    }

    @Test func connection_ends_whenARecordIsTooLong() throws {
        let pair = try proof.established()
        // One byte more than a record may have (RFC 8446, section 5.2).
        let count = 16_384 + 256 + 1
        pair.guest.receive(
            [23, 3, 3, UInt8(count >> 8), UInt8(count & 255)]
                + [UInt8](repeating: 1, count: count))
        #expect(pair.guest.error != nil && pair.guest.heard.isEmpty)
        pair.settle()
        guard case .alert = pair.host.error else {
            Issue.record("the host was not told: \(String(describing: pair.host.error))")
            return
        }
    }

    @Test func nothing_crashes_onRandomBytes() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 1...2_000 {
            let pair = try proof.pair()
            if Bool.random() { pair.settle() }
            var bytes = noise(Int.random(in: 1...300), using: &random)
            // Mostly something that begins like a record, or nothing would get far.
            if Int.random(in: 0..<4) > 0 {
                let length = UInt8(clamping: bytes.count)
                bytes = [UInt8.random(in: 20...24), 3, UInt8.random(in: 1...3), 0, length] + bytes
            }
            let end = Bool.random() ? pair.host : pair.guest
            end.receive(bytes)
            pair.settle()
            #expect(end.heard.isEmpty)
        }
    }
}
