import BeamscribeTLS
import Foundation
import TestSupport
import Testing

/// Somebody who tries codes gains nothing, and takes nothing from the others.
@Suite(.serialized) struct WrongCodeTests {
    private let code = "10K3M-9QX2T"

    private func key(_ hex: String) -> PreSharedKey? {
        let digits = Array(hex)
        return PreSharedKey(
            bytes: stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(digits[$0...($0 + 1)]), radix: 16)
            })
    }

    private func randomKey() -> PreSharedKey? {
        PreSharedKey(bytes: (0..<32).map { _ in UInt8.random(in: 0...255) })
    }

    @Test(.timeLimit(.minutes(3)))
    func door_isClosed_toAnAddressWithTooManyWrongCodes() async throws {
        let room = try await Room.open("--verbose", code: code)
        let rightKey = try #require(key(try await CodeKey.hex(of: "10K3M9QX2T")))
        let inside = try room.join(code: code, "--format", "jsonl")
        try await inside.waitForLine(containing: #""state":"live""#, within: .seconds(20))
        var refused = 0
        for number in 1...1_000 {
            let guess = try WireConnection(to: room.port, from: 1, code: try #require(randomKey()))
            guess.sendWhatFits(Wire.handshake())
            try await guess.waitForEnd()
            refused += guess.hasHeardNothing ? 1 : 0
            guard number.isMultiple(of: 100) else { continue }
            try await room.tell("after \(number)")
            // A guest from elsewhere gets in meanwhile.
            let other = try WireConnection(
                to: room.port, from: UInt8(1 + number / 100), code: rightKey)
            try await other.send(Wire.handshake())
            #expect(try await other.receive("handshake_response").status == "accepted")
            try await inside.waitForLine(containing: "after \(number)\"")
        }
        #expect(refused == 1_000)
        let said = room.host.standardErrorText
        #expect(said.components(separatedBy: "Too many wrong codes from 127.0.0.1").count == 2)
        // Whoever is turned away at the door has not even been asked for a code.
        #expect(said.components(separatedBy: "gave a wrong code").count - 1 == 4)

        let late = try room.join(code: code)
        try await late.expectExit(77)
        #expect(late.standardErrorLines.last?.contains("try again in a minute") == true)
        let texts = inside.standardOutputLines.filter { $0.contains(#""type":"line""#) }
        #expect(texts.count == 10)
        #expect(!inside.standardOutputText.contains("reconnecting"))
    }

    @Test func door_isOpen_afterFourWrongCodes() async throws {
        let room = try await Room.open("--verbose", code: code)
        for _ in 1...4 {
            let guess = try WireConnection(to: room.port, from: 1, code: try #require(randomKey()))
            guess.sendWhatFits(Wire.handshake())
            try await guess.waitForEnd()
        }
        try await room.tell("hello")
        let guest = try room.join(code: code)
        #expect(try await guest.waitForLines(1) == ["hello"])
    }

    @Test func closedDoor_answersWithOneAlert() async throws {
        let room = try await Room.open(code: code)
        for _ in 1...5 {
            let guess = try WireConnection(to: room.port, from: 7, code: try #require(randomKey()))
            try await guess.waitForEnd()
        }
        try await room.host.waitForLine(containing: "from 127.0.0.7", on: .standardError)
        let socket = try TCPSocket.connected(to: room.port, from: 7)
        var heard: [UInt8] = []
        try await eventually("the host to close") {
            switch socket.receive() {
            case .bytes(let bytes): heard += bytes
            case .nothing: return false
            case .end: return true
            }
            return false
        }
        #expect(heard == [21, 3, 3, 0, 2, 2, 49])
    }
}
