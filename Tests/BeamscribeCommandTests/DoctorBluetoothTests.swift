import Foundation
import TestSupport
import Testing

/// What `beamscribe doctor` says of Bluetooth, with a stand-in for bluetoothd.
@Suite(Skip.withoutBluetooth, .timeLimit(.minutes(2))) struct DoctorBluetoothTests {
    private struct Report: Decodable {
        struct Check: Decodable {
            var check: String
            var status: String
            var found: String
        }
        var checks: [Check]
    }

    private func check(with bluetooth: FakeBluetooth) async throws -> Report.Check {
        let launch = Launch.beamscribe(["doctor", "--json"], state: try TemporaryFolder())
        let program = try RunningProgram(bluetooth.inside(launch))
        try await program.waitForExit()
        let data = Data(program.standardOutputText.utf8)
        let report = try JSONDecoder().decode(Report.self, from: data)
        return try #require(report.checks.first { $0.check == "bluetooth" })
    }

    @Test func adapters_areFound_andRoomForABeacon() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 2)
        try await bluetooth.occupy("hci0", slots: 1)
        let check = try await check(with: bluetooth)
        #expect(check.status == "ok")
        #expect(check.found.contains("(hci0 and hci1)") && check.found.contains("5 more"))
        #expect(try await bluetooth.advertisements().isEmpty)
    }

    @Test func daemonThatHangs_holdsUpNothing() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        await bluetooth.hang()
        #expect(try await check(with: bluetooth).status == "note")
        await bluetooth.recover()
    }
}
