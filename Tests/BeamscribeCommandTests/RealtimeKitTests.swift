import Foundation
import TestSupport
import Testing

/// Who may not let his threads go before others asks RealtimeKit, of which a stand-in is on a bus of its own, as
/// bluetoothd's is.
@Suite(Skip.withoutRoot, Skip.withoutBluetooth, Skip.without("setpriv"))
struct RealtimeKitTests {
    private let folder: TemporaryFolder
    private let bus: String

    init() throws {
        folder = try TemporaryFolder()
        bus = "unix:path=\(folder.path(of: "bus"))"
    }

    private static let words = "The system does not let sound go before other work here"

    private func startBus() async throws -> RunningProgram {
        let settings = try folder.write(
            """
            <busconfig>
              <listen>\(bus)</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*"/><allow own="*"/><allow receive_sender="*"/>
              </policy>
            </busconfig>
            """, to: "bus.conf")
        let daemon = try RunningProgram(
            Launch(
                "dbus-daemon", "--config-file=\(settings)", "--nofork", "--nopidfile",
                "--nosyslog", "--print-address=1"))
        try await daemon.waitForLine("the bus to listen") { $0.hasPrefix("unix:") }
        return daemon
    }

    private func startService(_ answer: String) async throws -> RunningProgram {
        let script = Repository.path(of: "Tests/Support/Services/fake-rtkit.py")
        var launch = Launch(FakeBluetooth.python ?? "python3", "-B", script, bus, answer)
        launch.withoutVariables = ["PYTHONHOME", "PYTHONPATH"]
        let service = try RunningProgram(launch)
        try await service.waitForLine("the stand-in to be there") { $0 == "ready" }
        return service
    }

    /// Somebody who talks without the right to hurry.
    private func startTalk(in room: Room) throws -> RunningProgram {
        var launch = Launch.beamscribe(
            ["talk", "--host", room.address, "--input", "/dev/zero"], state: room.folder)
        launch.environment["BEAMSCRIBE_CREW_CODE"] = Room.crewCode
        launch.environment["DBUS_SYSTEM_BUS_ADDRESS"] = bus
        launch.prefix = [
            "prlimit", "--rtprio=0:0", "setpriv", "--bounding-set=-sys_nice",
            "--inh-caps=-sys_nice",
        ]
        return try RunningProgram(launch)
    }

    @Test func thread_isLetGoBeforeOthers_whereItIsGranted() async throws {
        let (daemon, room) = (try await startBus(), try await Room.withVoices())
        let service = try await startService("grant")
        let talk = try startTalk(in: room)
        try await talk.waitForLine(containing: "You are heard.", on: .standardError)
        try await service.waitForLine(containing: "priority 10", on: .standardOutput)
        let thread = service.standardOutputText.split(separator: " ").dropFirst().first
        let threads = try FileManager.default.contentsOfDirectory(
            atPath: "/proc/\(talk.pid)/task")
        #expect(threads.contains(String(thread ?? "none")))
        #expect(!talk.standardErrorText.contains(Self.words))
        talk.interrupt()
        try await talk.expectExit(0)
        withExtendedLifetime(daemon) {}
    }

    @Test(arguments: ["refuse", nil])
    func talk_goesOnWithout_andSaysSo_whereItIsNot(answer: String?) async throws {
        let (daemon, room) = (try await startBus(), try await Room.withVoices())
        var service: RunningProgram?
        if let answer { service = try await startService(answer) }
        let talk = try startTalk(in: room)
        try await talk.waitForLine(containing: Self.words, on: .standardError)
        try await talk.waitForLine(containing: "You are heard.", on: .standardError)
        talk.interrupt()
        try await talk.expectExit(0)
        withExtendedLifetime((daemon, service)) {}
    }
}
