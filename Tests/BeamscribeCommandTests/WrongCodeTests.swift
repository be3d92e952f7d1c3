import BeamscribeCore
import BeamscribeTLS
import Foundation
import TestSupport
import Testing

/// Somebody who tries codes gains nothing, and takes nothing from the others.
@Suite(.serialized) struct WrongCodeTests {
    private let code = "4821-7730"

    /// A guess that is wrong, from 127.0.0.`source`; false where the host has not even answered it.
    private func guessWrongly(_ room: Room, from source: UInt8) async throws -> Bool {
        try await guessWrongly(at: room.port, from: source)
    }

    private func guessWrongly(at port: UInt16, from source: UInt8) async throws -> Bool {
        let guess = try WireConnection(to: port, from: source)
        guard (try? await guess.askForSalt()) != nil else { return false }
        let isAnswered = (try? await guess.guess(.sample)) == .wrongCode
        try? await guess.confirm([UInt8](repeating: 0, count: 32))
        try await guess.waitForEnd()
        return isAnswered
    }

    @Test(.timeLimit(.minutes(3)))
    func door_isClosed_toAnAddressWithTooManyWrongCodes() async throws {
        let room = try await Room.open("--verbose", code: code)
        var right: CodeSecret?
        let inside = try room.join(code: code, "--format", "jsonl")
        try await inside.waitForLine(containing: #""state":"live""#)
        var answered = 0
        for number in 1...1_000 {
            answered += try await guessWrongly(room, from: 1) ? 1 : 0
            guard number.isMultiple(of: 100) else { continue }
            try await room.tell("after \(number)")
            // A guest from elsewhere gets in meanwhile.
            let other = try WireConnection(to: room.port, from: UInt8(1 + number / 100))
            let salt = try await other.askForSalt()
            if right == nil { right = try CodeSecret(of: EventCode(code), salt: salt) }
            guard case .proven(let confirm) = try await other.guess(#require(right)) else {
                Issue.record("the host does not know the code")
                return
            }
            try await other.confirm(confirm)
            #expect(try await other.receive("handshake_response").status == "accepted")
            try await inside.waitForLine(containing: "after \(number)\"")
        }
        #expect(answered == 5, "Whoever is turned away at the door has no answer.")
        let complaint = "Too many wrong codes from 127.0.0.1"
        try await room.host.waitForLine(containing: complaint, on: .standardError)
        let said = room.host.standardErrorText
        #expect(said.components(separatedBy: complaint).count == 2)

        let late = try room.join(code: code)
        try await late.expectExit(77)
        #expect(late.standardErrorLines.last?.contains("Try again in a minute") == true)
        let texts = inside.standardOutputLines.filter { $0.contains(#""type":"line""#) }
        #expect(texts.count == 10)
        #expect(!inside.standardOutputText.contains("reconnecting"))
    }

    /// Whoever has the host's answer knows whether he has guessed, and need say no more.
    @Test func door_isClosed_toAGuesserWhoLeavesWithTheAnswer() async throws {
        let room = try await Room.open(code: code)
        for _ in 1...5 {
            let guess = try WireConnection(to: room.port, from: 9)
            _ = try await guess.askForSalt()
            #expect(try await guess.guess(.sample) == .wrongCode)
        }
        try await room.host.waitForLine(containing: "from 127.0.0.9", on: .standardError)
    }

    @Test func source_hasFiveAnswers_howeverManyGuessAtATime() async throws {
        let room = try await Room.open(code: code)
        let guesses = try (0..<40).map { _ in try WireConnection(to: room.port, from: 9) }
        for guess in guesses {
            _ = try await guess.askForSalt()
            let proof = try CodeProof(.sample, exporter: guess.exportedKey ?? [])
            let share = Packet.codeShare(CodeShare(share: proof.share))
            try await guess.send(try FrameEncoder().frame(share))
        }
        try await eventually("five answers") {
            guesses.filter { $0.isOpen() && !$0.hasHeardNothing }.count == 5
        }
        for guess in guesses where !guess.hasHeardNothing {
            try await guess.confirm([UInt8](repeating: 0, count: 32))
        }
        for guess in guesses { try await guess.waitForEnd() }
        let unanswered = guesses.filter(\.hasHeardNothing)
        #expect(unanswered.count == 35)
        try await room.host.waitForLine(containing: "from 127.0.0.9", on: .standardError)
    }

    @Test func door_isOpen_afterFourWrongCodes() async throws {
        let room = try await Room.open("--verbose", code: code)
        for _ in 1...4 { #expect(try await guessWrongly(room, from: 1)) }
        try await room.tell("hello")
        let guest = try room.join(code: code)
        #expect(try await guest.waitForLines(1) == ["hello"])
        try await room.host.waitForLine(containing: "gave a wrong code", on: .standardError)
    }

    /// A machine that serves the event for its host has a door, too.
    @Test(arguments: [["relay"], ["mesh", "Town Hall"]])
    func operator_isToldOfAClosedDoor(of words: [String]) async throws {
        let room = words == ["relay"] ? try await Room.open(code: code) : nil
        let options = room.map { ["--host", $0.address, "--no-ble"] } ?? []
        var launch = Launch.beamscribe(
            words + options + Room.quiet(port: 0), state: try TemporaryFolder())
        launch.environment["BEAMSCRIBE_CODE"] = code
        let program = try RunningProgram(launch)
        let place = "--host 127.0.0.1:"
        let told = try await program.waitForLine(containing: place, on: .standardError)
        let digits = told.components(separatedBy: place).last?.prefix { $0.isNumber }
        let port = try #require(digits.flatMap { UInt16($0) })
        for _ in 1...5 { #expect(try await guessWrongly(at: port, from: 9)) }
        try await program.waitForLine(
            containing: "Too many wrong codes from 127.0.0.9", on: .standardError)
        program.interrupt()
        try await program.expectExit(0)
    }

    @Test func closedDoor_answersWithOneAlert() async throws {
        let room = try await Room.open(code: code)
        for _ in 1...5 { #expect(try await guessWrongly(room, from: 7)) }
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
