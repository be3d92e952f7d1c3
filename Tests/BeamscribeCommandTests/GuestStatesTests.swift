import Foundation
import TestSupport
import Testing

/// What the operator is told: who joined, who came and went, and how it is written.
@Suite struct GuestStatesTests {
    @Test func host_announcesAGuest_onceItHasStayed() async throws {
        let room = try await Room.open("--verbose", "--log-format", "jsonl")
        let guest = try await room.joined()
        let connected = try await moment(of: "guest_connected", room.host)
        let joined = try await moment(of: "guest_joined", room.host)
        #expect((3.9...10).contains(joined - connected))
        guest.interrupt()
        let left = try await room.host.waitForLine(containing: "guest_left", on: .standardError)
        #expect(left.contains("(0 guests)"))
    }

    private func moment(of event: String, _ host: RunningProgram) async throws -> Double {
        let line = try await host.waitForLine(containing: event, on: .standardError)
        let fields = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
        return try #require(fields["time"].flatMap(Double.init))
    }

    @Test func host_countsAGuestAsUnstable_whenItGoesSoon() async throws {
        let room = try await Room.open()
        for number in 1...2 {
            let guest = try await room.joined()
            guest.interrupt()
            try await guest.expectExit(0)
            try await room.host.waitForLine(
                containing: "unstable so far: \(number)", on: .standardError)
        }
        #expect(!room.host.standardErrorText.contains(" joined ("))
    }

    /// By the host's own clock: how soon a test hears of it says the machine.
    @Test func host_announcesAtOnce_withoutAGate() async throws {
        let room = try await Room.open("--gate", "0", "--verbose", "--log-format", "jsonl")
        let guest = try await room.joined()
        func time(of event: String) async throws -> Double {
            let line = try await room.host.waitForLine(
                containing: #""event":"\#(event)""#, on: .standardError)
            let entry = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
            return try #require(entry["time"].flatMap(Double.init))
        }
        let connected = try await time(of: "guest_connected")
        #expect(try await time(of: "guest_joined") - connected < 2)
        #expect(guest.isRunning)
    }

    @Test func host_writesOneObjectALine_whenToldTo() async throws {
        let folder = try TemporaryFolder()
        let words = ["host", "--event", "X", "--until-eof", "--log-format", "jsonl"]
        let host = try RunningProgram(.beamscribe(words + Room.quiet(port: 0), state: folder))
        try await host.write("one\n")
        host.closeInput()
        try await host.expectExit(0)
        for line in host.standardErrorLines {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            let fields = try #require(object as? [String: String])
            #expect(fields["level"] != nil && fields["message"] != nil && fields["event"] != nil)
        }
        #expect(host.standardErrorLines.contains { $0.contains("beamscribe join --host") })
    }

    @Test func programs_sayNothing_whenAllIsWellAndTheyAreQuiet() async throws {
        let address = Room.ownAddress()
        let folder = try TemporaryFolder()
        let words = [
            "host", "--event", "X", "--until-eof", "--quiet", "--no-ble", "--bind", address,
        ]
        let host = try RunningProgram(.beamscribe(words + ["--no-bonjour"], state: folder))
        let guest = try RunningProgram(
            .beamscribe(["join", "--quiet", "--host", address], state: folder))
        try await host.write("one\n")
        try await guest.waitForLines(1)
        host.closeInput()
        try await guest.expectExit(0)
        try await host.expectExit(0)
        #expect(host.standardErrorText == "")
        #expect(guest.standardErrorText == "")
    }
}
