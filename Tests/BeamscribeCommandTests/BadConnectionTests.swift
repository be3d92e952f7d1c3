import TestSupport
import Testing

/// What comes to the host's port and is no guest ends that one connection and nothing else.
@Suite struct BadConnectionTests {
    /// Bytes that no guest sends, and what the host's log says of them.
    struct Bad: Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var reason: String
        var testDescription: String { name }

        init(_ name: String, _ bytes: [UInt8], _ reason: String) {
            (self.name, self.bytes, self.reason) = (name, bytes, reason)
        }
    }

    static let noObject = "not a JSON object"

    static let bad = [
        Bad("length 0", Wire.length(0), "length 0"),
        Bad("length over the limit", Wire.length(10_485_761), "10485761 bytes"),
        Bad("greatest length", Wire.length(.max), "4294967295 bytes"),
        Bad("no JSON", Wire.frame("garbage"), noObject),
        Bad("binary", Wire.frame([0xFF, 0x00, 0x1B, 0x5B]), noObject),
        Bad("JSON array", Wire.frame("[1,2,3]"), noObject),
        Bad("JSON number", Wire.frame("17"), noObject),
        Bad("unfinished JSON", Wire.frame(#"{"type":"handshake","#), noObject),
        Bad("deep JSON", Wire.frame(String(repeating: "[", count: 60_000)), noObject),
        Bad("no type", Wire.frame("{}"), "\"type\" is missing"),
        Bad("type is no string", Wire.frame(#"{"type":1}"#), "\"type\""),
        Bad("bare handshake", Wire.frame(#"{"type":"handshake"}"#), "\"protocol\" is missing"),
        Bad("bad device id", Wire.handshake(device: "me"), "\"deviceId\""),
        Bad("keep-alive first", Wire.keepAlive, "sent \"keep_alive\" before its handshake"),
        Bad("unknown first", Wire.frame(#"{"type":"x\u001b[2J"}"#), "before its handshake"),
        Bad("TLS", [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xFC, 0x03, 0x03], "TLS"),
        Bad("HTTP", Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8), "HTTP"),
        Bad("SSH", Array("SSH-2.0-OpenSSH_9.6\r\n".utf8), "another protocol"),
        Bad(
            "length 0 after the handshake", Wire.handshake() + Wire.length(0),
            "By hand came and went: sent a frame of length 0"),
        Bad("garbage after the handshake", Wire.handshake() + Wire.frame("{"), noObject),
        Bad(
            "megabytes after the handshake",
            Wire.handshake() + [[UInt8]](repeating: Self.babble, count: 64).joined(),
            "more than a guest has to say"),
    ]

    /// A packet of a type that nobody knows, which in itself is fine.
    private static let babble = Wire.frame(
        #"{"type":"babble","text":""# + String(repeating: "x", count: 60_000) + #""}"#)

    @Test(arguments: bad)
    func host_endsTheConnectionAndGoesOn_whenItGets(_ bad: Bad) async throws {
        let room = try await Room.open("--verbose")
        let guest = try await room.joined()
        let connection = try WireConnection(to: room.port)
        try await connection.send(bad.bytes)
        try await connection.waitForEnd()
        // The reason, and so not that its time was over.
        let line = try await room.host.waitForLine(containing: bad.reason, on: .standardError)
        #expect(line.contains("127.0.0.1:") || line.contains("By hand"))
        #expect(!line.hasControlCharacters)
        try await room.tell("still here")
        #expect(try await guest.waitForLines(1) == ["still here"])
        #expect(room.host.isRunning)
        #expect(peakMemory(of: room.host) < 100_000)
    }

    @Test func host_rejects_whenTheGuestSpeaksAnotherVersion() async throws {
        let room = try await Room.open("--verbose")
        let connection = try WireConnection(to: room.port)
        try await connection.send(Wire.handshake(version: 2))
        let answer = try await connection.receive()
        #expect(answer.type == "handshake_response")
        #expect(answer.status == "rejected")
        #expect(answer.reason == "unsupported_protocol")
        try await connection.waitForEnd()
        try await room.host.waitForLine(containing: "unsupported_protocol", on: .standardError)
    }

    @Test func host_endsTheConnection_whenNoHandshakeComes() async throws {
        let room = try await Room.open("--verbose")
        let connection = try WireConnection(to: room.port)
        try await connection.waitForEnd()
        try await room.host.waitForLine(
            containing: "did not finish its handshake within 10 s", on: .standardError)
    }

    @Test func host_endsTheConnection_whenAHandshakeDrips() async throws {
        let room = try await Room.open("--verbose")
        let connection = try WireConnection(to: room.port)
        var bytes = Wire.handshake()[...]
        try await eventually("the host to lose patience", every: .seconds(1)) {
            connection.sendWhatFits(Array(bytes.prefix(1)))
            bytes = bytes.dropFirst()
            return !connection.isOpen()
        }
        try await room.host.waitForLine(
            containing: "did not finish its handshake within 10 s", on: .standardError)
    }

    @Test func host_takesTheNewerConnection_whenADeviceComesTwice() async throws {
        let room = try await Room.open()
        let device = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"
        let older = try WireConnection(to: room.port)
        try await older.send(Wire.handshake(device: device))
        #expect(try await older.receive("handshake_response").status == "accepted")
        let newer = try WireConnection(to: room.port)
        try await newer.send(Wire.handshake(device: device.uppercased()))
        #expect(try await newer.receive("handshake_response").status == "accepted")
        #expect(try await older.receive("handshake_response").reason == "duplicate")
        try await older.waitForEnd()
        try await room.tell("hello")
        #expect(try await newer.receive("liveChunk").text == "hello")
    }
}
