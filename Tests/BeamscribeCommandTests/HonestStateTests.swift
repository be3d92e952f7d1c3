import Foundation
import TestSupport
import Testing

/// What is wrong is named, and told apart from all else, on both sides.
@Suite struct HonestStateTests {
    @Test func guest_tellsHostLost_thenNothingElse_whenTheHostIsKilled() async throws {
        let room = try await Room.open()
        let guest = try room.join("--format", "jsonl")
        let plain = try await room.joined()
        try await room.tell("one")
        try await guest.waitForLine(containing: #""text":"one""#)
        room.host.kill()
        let lost = try await guest.waitForLine(containing: #""state":"reconnecting""#)
        #expect(lost.contains(#""cause":"host_lost""#))
        #expect(lost.contains(#""since":"#))
        try await plain.waitForLine(containing: "host lost: ", on: .standardError)
    }

    @Test func guest_tellsNetworkLost_whenNothingComesThrough() async throws {
        let room = try await Room.open()
        let guest = try room.join("--format", "jsonl")
        try await room.tell("one")
        try await guest.waitForLine(containing: #""text":"one""#)
        room.host.suspend()
        let lost = try await guest.waitForLine(
            containing: #""state":"reconnecting""#)
        #expect(lost.contains(#""cause":"network_lost""#))
        room.host.resume()
        try await room.tell("two")
        try await guest.waitForLine(containing: #""text":"two""#)
    }

    @Test func guest_tellsThatTheInputHasEnded_alsoWhoComesLater() async throws {
        let room = try await Room.open()
        let guest = try room.join("--format", "jsonl")
        try await room.tell("one")
        try await guest.waitForLine(containing: #""text":"one""#)
        room.host.closeInput()
        try await guest.waitForLine(containing: #""input":"ended","state":"stalled""#)
        let late = try room.join("--format", "jsonl")
        try await late.waitForLine(containing: #""input":"ended","state":"stalled""#)
        #expect(guest.standardOutputText.contains(#""kind":"input_ended""#))
        try await room.host.waitForLine(containing: "The input has ended", on: .standardError)
        try await room.end()
        try await guest.expectExit(0)
        #expect(guest.standardOutputText.contains(#""kind":"ended""#))
        #expect(guest.standardOutputLines.last == #"{"state":"ended","type":"state"}"#)
    }

    @Test func host_tellsHowItsGuestsFare_whenAskedByASignal() async throws {
        let room = try await Room.open("--gate", "0")
        let guest = try await room.joined()
        try await room.tell(numbered(1...3))
        try await guest.waitForLines(3)
        try await room.host.waitForLine(containing: "joined (1 guest)", on: .standardError)
        var asked = 0
        try await eventually("a latency in the table") {
            asked = room.host.standardErrorLines.count
            room.host.signal(SIGUSR1)
            let row = try await room.host.waitForLine(
                containing: " from 127.0.0.1", on: .standardError, after: asked)
            return row.contains("stable") && row.contains("no lag")
                && row.contains("latency p50") && row.contains("p95")
        }
        #expect(room.host.standardErrorText.contains("1 guest, last input"))
        #expect(room.host.isRunning)
    }

    @Test func host_showsTheLag_ofAGuestThatStandsStill() async throws {
        let room = try await Room.open("--gate", "0", "--log-format", "jsonl")
        let guest = try room.join(output: .unread)
        try await room.host.waitForLine(containing: "guest_joined", on: .standardError)
        // More than the pipe, the buffers and the guest's own queue hold.
        try await room.tell(numbered(1...60_000, String(repeating: "far behind ", count: 10)))
        try await eventually("a lag in the table") {
            let said = room.host.standardErrorLines.count
            room.host.signal(SIGUSR1)
            let row = try await room.host.waitForLine(
                containing: #""event":"guest","#, on: .standardError, after: said)
            let lag = row.firstMatch(of: /"lagLines":"(\d+)"/).flatMap { Int($0.output.1) }
            return (lag ?? 0) > 1_000 && !row.contains(#""lagSeconds":"0.0""#)
        }
        withExtendedLifetime(guest) {}
    }

    @Test func host_warnsOfALowBattery_once() async throws {
        let folder = try TemporaryFolder()
        let battery = folder.path + "/power/BAT0"
        try FileManager.default.createDirectory(
            atPath: battery, withIntermediateDirectories: true)
        for (name, value) in [
            ("type", "Battery"), ("status", "Discharging"), ("capacity", "11"),
            ("present", "1"),
        ] {
            try Data("\(value)\n".utf8).write(to: URL(fileURLWithPath: "\(battery)/\(name)"))
        }
        var launch = Launch.beamscribe(
            ["host", "--event", "Town Hall"] + Room.quiet(port: 0), state: folder)
        launch.environment["BEAMSCRIBE_POWER_SUPPLY"] = folder.path + "/power"
        let host = try RunningProgram(launch)
        try await host.waitForLine(containing: "battery is at 11 %", on: .standardError)
    }
}
