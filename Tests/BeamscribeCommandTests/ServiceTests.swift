import Foundation
import Glibc
import TestSupport
import Testing

/// The host as a service of systemd, with as little privilege as it can do with.
@Suite struct ServiceTests {
    private static let unit = "scripts/systemd/beamscribe-host@.service"
    private static let socket = "scripts/systemd/beamscribe-host@.socket"
    private static let script = "scripts/systemd/host-service"

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    // MARK: The unit

    /// systemd-analyze as a user with a home in which the service is installed.
    private func analyze(_ words: String...) async throws -> RunningProgram {
        let libexec = try folder.makeFolder(".local/libexec/beamscribe")
        try FileManager.default.copyItem(
            atPath: Repository.path(of: Self.script), toPath: libexec + "/host-service")
        var launch = Launch("systemd-analyze", arguments: ["--user", "--man=no"] + words)
        launch.environment["HOME"] = folder.path
        launch.environment["XDG_RUNTIME_DIR"] = try folder.makeFolder("runtime")
        launch.input = .null
        let program = try RunningProgram(launch)
        try await program.waitForExit()
        return program
    }

    @Test(Skip.withoutSystemdAnalyze) func unit_saysNothingThatSystemdDoesNotKnow() async throws {
        let units = [Self.unit, Self.socket].map { Repository.path(of: $0) }
        let program = try await analyze("verify", units[0], units[1])
        #expect(program.output.exit == .success)
        #expect(program.standardErrorText == "")
    }

    /// Of 100; an unrestricted service has 95. What is left is the network, and that a user's
    /// service is a user's.
    @Test(Skip.withoutSystemdAnalyze) func unit_isExposedAsLittleAsItCanBe() async throws {
        let program = try await analyze(
            "security", "--offline=true", "--threshold=20", Repository.path(of: Self.unit))
        #expect(program.output.exit == .success, "\(program.standardOutputText)")
        #expect(program.standardOutputText.contains("Overall exposure level"))
    }

    @Test func code_isOnNoCommandLine() throws {
        for file in [Self.unit, Self.script] {
            let commands = try Repository.read(file).split(separator: "\n").filter {
                !$0.hasPrefix("#") && ($0.contains("exec ") || $0.hasPrefix("Exec"))
            }
            #expect(!commands.isEmpty)
            #expect(commands.allSatisfy { !$0.lowercased().contains("code") })
        }
    }

    @Test(arguments: [(0o600, 0), (0o400, 0), (0o640, 78), (0o604, 78), (0o666, 78), (-1, 0)])
    func settings_areRefused_whereOthersMayReadThem(mode: Int, exit: Int32) async throws {
        let line = try Repository.read(Self.unit).split(separator: "\n")
            .first { $0.hasPrefix("ExecStartPre=") }
        let command = try #require(line).split(separator: "'")
        try #require(command.count == 2)
        let settings = folder.path(of: "town hall.env")
        if mode >= 0 {
            try folder.write("BEAMSCRIBE_CODE=x", to: "town hall.env")
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: settings)
        }
        var launch = Launch("sh", "-c", String(command[1]))
        launch.environment["BEAMSCRIBE_SETTINGS"] = settings
        let check = try RunningProgram(launch)
        try await check.expectExit(exit)
        #expect(check.standardOutputText.contains("chmod 600") == (exit != 0))
    }

    // MARK: Its script

    private func start(_ event: String = #"Hall "A" \ B ü"#) throws -> RunningProgram {
        let programs = try folder.makeFolder(".local/bin")
        try? FileManager.default.createSymbolicLink(
            atPath: programs + "/beamscribe", withDestinationPath: Binary.beamscribe)
        var launch = Launch(Repository.path(of: Self.script))
        launch.environment["HOME"] = folder.path
        launch.environment["XDG_STATE_HOME"] = folder.path
        launch.environment["RUNTIME_DIRECTORY"] = try folder.makeFolder("runtime")
        launch.environment["BEAMSCRIBE_EVENT"] = event
        launch.environment["BEAMSCRIBE_OPTIONS"] =
            (Room.quiet(port: 0) + ["--until-eof", "--linger", "0"]).joined(separator: " ")
        launch.withoutVariables = ["BEAMSCRIBE_CODE"]
        return try RunningProgram(launch)
    }

    @Test func service_goesOnInItsSession_whenItsHostWasKilled() async throws {
        let first = try start()
        try await first.write("one\n")
        try await first.waitForLine(containing: "join --host", on: .standardError)
        let sessions = SessionFolder(folder)
        try await eventually("the line is kept") { (try? sessions.texts()) == ["one"] }
        first.kill()
        try await first.waitForExit()
        let second = try start()
        try await second.waitForLine(containing: "Going on in session", on: .standardError)
        try await second.write("two\n")
        second.closeInput()
        try await second.expectExit(0)
        #expect(try sessions.texts() == ["one", "two"])
        // Stopped in good order, it has nothing to go on in.
        let third = try start()
        third.closeInput()
        try await third.expectExit(0)
        #expect(sessions.ids.count == 2)
    }

    @Test func service_beginsAnew_whenAnothersOrAnEarlierHostWasKilled() async throws {
        let other = try start("Another")
        try await other.waitForLine(containing: "join --host", on: .standardError)
        other.kill()
        try await other.waitForExit()
        let second = try start()
        second.closeInput()
        try await second.expectExit(0)
        #expect(SessionFolder(folder).ids.count == 2)
        // As after `systemctl stop`, which takes the folder away.
        try FileManager.default.removeItem(atPath: folder.path(of: "runtime"))
        try folder.makeFolder("runtime")
        let later = String(Int(Date().timeIntervalSince1970) + 60)
        try folder.write(later, to: "runtime/started")
        let third = try start("Another")
        third.closeInput()
        try await third.expectExit(0)
        #expect(SessionFolder(folder).ids.count == 3)
    }

    // MARK: Privilege

    /// Neither the modes nor the file system's attributes give the program more than its user has.
    @Test func files_giveNoPrivilege() async throws {
        let files = FileManager.default
        let scripts = try files.subpathsOfDirectory(atPath: Repository.path(of: "scripts"))
            .map { Repository.path(of: "scripts/\($0)") }
        for path in scripts + [Binary.beamscribe] {
            let mode = try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
            #expect(mode & 0o6000 == 0, "\(path) is set-id")
        }
        let attributes = "import os, sys; [print(p, os.listxattr(p)) for p in sys.argv[1:]]"
        let python = try RunningProgram(
            Launch("python3", arguments: ["-c", attributes, Binary.beamscribe] + scripts))
        try await python.expectExit(0)
        #expect(python.standardOutputLines.count == scripts.count + 1)
        #expect(!python.standardOutputText.contains("security.capability"))
        for path in scripts where files.isExecutableFile(atPath: path) {
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
            #expect(!text.contains("setcap ") && !text.contains("chmod u+s"), "\(path)")
        }
    }

    @Test func host_needsNoPrivilege() async throws {
        var launch = Launch.beamscribe(
            ["host", "--event", "E", "--until-eof"] + Room.quiet(port: 0), state: folder)
        // Only root has something that can be taken away.
        let nothing = geteuid() == 0 ? ["--bounding-set=-all"] : []
        launch.prefix = ["setpriv", "--no-new-privs"] + nothing
        let host = try RunningProgram(launch)
        let port = try await Room.port(of: host)
        let status = try String(contentsOfFile: "/proc/\(host.pid)/status", encoding: .utf8)
        #expect(status.contains("NoNewPrivs:\t1"))
        #expect(status.contains("CapEff:\t0000000000000000"))
        let room = Room(folder: folder, host: host, address: "127.0.0.1:\(port)", port: port)
        let guest = try await room.joined()
        try await room.tell("one")
        try await guest.waitForLines(1)
        host.closeInput()
        try await guest.expectExit(0)
        try await host.expectExit(0)
    }
}
