import Foundation
import TestSupport
import Testing

/// What the program leaves on the disk is its user's alone, and goes where it should.
@Suite struct PrivateFilesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Everything in the state folder with its mode, by its place there.
    private func modes(below place: String) throws -> [String: Int] {
        let files = FileManager.default
        var modes: [String: Int] = [:]
        for name in try files.subpathsOfDirectory(atPath: place) + [""] {
            let attributes = try files.attributesOfItem(atPath: "\(place)/\(name)")
            let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
            let mode = attributes[.posixPermissions] as? Int ?? 0
            modes[name] = isFolder ? mode | 0o100_000 : mode
        }
        return modes
    }

    private func launch(umask: String, user: [String] = []) -> Launch {
        var launch = Launch.beamscribe(
            ["host", "--event", "E", "--until-eof"] + Room.quiet(port: 0), state: folder)
        launch.environment["XDG_STATE_HOME"] = folder.path(of: "deep/down")
        launch.prefix = user + ["sh", "-c", "umask \(umask); exec \"$@\"", "sh"]
        return launch
    }

    private func expectClosed(_ launch: Launch) async throws {
        let host = try RunningProgram(launch)
        try await host.write("one\n")
        host.closeInput()
        try await host.expectExit(0)
        // The user's own rights were taken off the folders above, too, if nothing was done.
        for (name, mode) in try modes(below: folder.path(of: "deep/down/beamscribe")) {
            let wanted = mode & 0o100_000 != 0 ? 0o100_700 : 0o600
            #expect(mode == wanted, "\(name) has \(String(mode, radix: 8))")
        }
        let names = try modes(below: folder.path(of: "deep/down/beamscribe")).keys
        #expect(names.contains("device-id") && names.contains { $0.hasSuffix("/log") })
        #expect(try modes(below: folder.path(of: "deep"))["down"] == 0o100_700)
    }

    @Test(arguments: ["0", "022", "077", "0777"])
    func files_areTheUsersAlone_whateverTheUmask(_ umask: String) async throws {
        try await expectClosed(launch(umask: umask))
    }

    /// Root may do anything with a folder that nobody may enter, by a capability that an ordinary
    /// user does not have.
    @Test(Skip.withoutRoot, arguments: ["0", "0777"])
    func files_areTheUsersAlone_whateverTheUmask_forAnOrdinaryUser(_ umask: String) async throws {
        try await expectClosed(launch(umask: umask, user: ["setpriv", "--bounding-set=-all"]))
    }

    @Test func captionsGoOn_whenTheStateFolderIsALink() async throws {
        let elsewhere = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(of: "beamscribe"), withDestinationPath: elsewhere.path)
        let words = ["host", "--event", "E", "--until-eof"] + Room.quiet(port: 0)
        let host = try RunningProgram(.beamscribe(words, state: folder))
        let port = try await Room.port(of: host)
        let line = try await host.waitForLine(containing: "not being saved", on: .standardError)
        #expect(line.contains("\(folder.path)/beamscribe: it is a symbolic link; move it away"))
        let room = Room(folder: folder, host: host, address: "127.0.0.1:\(port)", port: port)
        let guest = try await room.joined()
        try await room.tell(numbered(1...3))
        try await guest.waitForLines(3)
        // As soon as it is gone, everything is in a folder of the program's own.
        try FileManager.default.removeItem(atPath: folder.path(of: "beamscribe"))
        try await host.waitForLine(containing: "saved again", on: .standardError)
        host.closeInput()
        try await guest.expectExit(0)
        try await host.expectExit(0)
        #expect(try SessionFolder(folder).texts() == numbered(1...3))
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path) == [])
    }

    @Test func sessions_sayWhy_whenTheStateFolderIsALink() async throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(of: "beamscribe"), withDestinationPath: "/")
        for words in [["sessions"], ["export", "last"], ["host", "--resume", "last"]] {
            let program = try RunningProgram(.beamscribe(words, state: folder))
            try await program.expectExit(71)
            #expect(program.standardErrorLines.count == 1)
            #expect(program.standardErrorText.contains("it is a symbolic link; move it away"))
        }
    }
}
