import BeamscribeCore
import BeamscribeIO
import Foundation
import TestSupport
import Testing

@Suite struct KnownHostsFileTests {
    private let folder: TemporaryFolder
    private let state: StateFolder
    private let file: KnownHostsFile
    private let fingerprint = Fingerprint(bytes: [UInt8](repeating: 0x5A, count: 32))!

    init() throws {
        folder = try TemporaryFolder()
        state = StateFolder(environment: ["XDG_STATE_HOME": folder.path])
        // Only whoever is to give up does so.
        file = KnownHostsFile(in: state, patience: .seconds(3_600))
    }

    @Test func hosts_areEmpty_whereThereIsNoFile_andNoneIsMade() throws {
        #expect(try file.load() == KnownHosts())
        #expect(!FileManager.default.fileExists(atPath: state.path))
        try file.update { _ in }
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func update_isFoundAgain_andIsForTheOwnerOnly() throws {
        try file.update { $0.remember(fingerprint, of: Introduction(device: "stage"), at: 1) }
        #expect(
            try KnownHostsFile(in: state).load().fingerprint(of: .device("stage")) == fingerprint)
        for name in ["known-hosts.json", "known-hosts.lock"] {
            #expect(try mode("\(state.path)/\(name)") == 0o600)
        }
        #expect(try mode(state.path) == 0o700)
        try file.update { $0 = $0.forgetting(Introduction(device: "stage")) }
        #expect(try file.load() == KnownHosts())
    }

    @Test(arguments: ["", "{", "[]", "{\"version\":3}", "garbage", "{\"version\":1,\"hosts\":1}"])
    func damagedFile_isRefused_andLeftAsItIs(_ text: String) throws {
        try place(text)
        let expected = KnownHostsFileError.unreadable(path: file.path)
        #expect(throws: expected) { try file.load() }
        #expect(throws: expected) {
            try file.update { $0.remember(fingerprint, of: Introduction(device: "stage"), at: 1) }
        }
        #expect(try String(contentsOfFile: file.path, encoding: .utf8) == text)
        #expect("\(expected)".contains(file.path) && "\(expected)".contains("move it away"))
    }

    @Test func file_isRefused_whenItIsTooLarge_orNoFile() throws {
        try place("{\"version\":1}" + String(repeating: " ", count: Limits.knownHostsFile))
        #expect(throws: KnownHostsFileError.unreadable(path: file.path)) { try file.load() }
        try FileManager.default.removeItem(atPath: file.path)
        try folder.makeFolder("beamscribe/known-hosts.json")
        #expect(throws: KnownHostsFileError.self) { try file.load() }
    }

    @Test func fullTable_isReadAgain() throws {
        try file.update { hosts in
            for number in 0..<4_096 {
                let name = String(repeating: "\u{2}", count: 190) + "\(number)"
                hosts.remember(fingerprint, of: Introduction(device: name), at: Double(number))
            }
        }
        #expect(try file.load().count == 4_096)
    }

    @Test func updatesAtOnce_loseNothing() async throws {
        let (file, fingerprint) = (file, fingerprint)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for number in 0..<25 {
                        let name = "\(writer)/\(number)"
                        try file.update {
                            $0.remember(
                                fingerprint, of: Introduction(device: name), at: Double(number))
                        }
                        // Whoever reads meanwhile finds a whole file.
                        guard try file.load().fingerprint(of: .device(name)) != nil else {
                            throw Lost()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try file.load().count == 200)
    }

    @Test func update_waits_whileAnotherProgramHasTheLock() async throws {
        try file.update { $0.remember(fingerprint, of: Introduction(device: "old"), at: 1) }
        let holder = try await lockHolder()
        let update = OwnThread { [file, fingerprint] in
            try file.update { $0.remember(fingerprint, of: Introduction(device: "new"), at: 2) }
        }
        try await eventually("the update to be at the lock") {
            isOpen("\(state.path)/known-hosts.lock")
        }
        #expect(try file.load().count == 1)
        // The holder now writes what it has read before: what had not waited for it would be lost.
        holder.closeInput()
        try await update.value()
        let hosts = try file.load()
        #expect(hosts.fingerprint(of: .device("other")) != nil)
        #expect(hosts.fingerprint(of: .device("new")) == fingerprint)
        try await holder.waitForExit()
    }

    @Test func update_givesUp_whenTheLockIsNeverFree() async throws {
        try file.update { $0.remember(fingerprint, of: Introduction(device: "old"), at: 1) }
        let holder = try await lockHolder()
        let impatient = KnownHostsFile(in: state, patience: .milliseconds(20))
        do throws(KnownHostsFileError) {
            try impatient.update { $0 = $0.forgetting(Introduction(device: "old")) }
            Issue.record("changed without the lock")
        } catch {
            #expect("\(error)".contains("known-hosts.lock: Connection timed out"))
        }
        #expect(try file.load().count == 1)
        holder.stop()
    }

    /// A program that has read the file and has its lock until its input ends. Then it replaces
    /// the file by what it has read, with "old" as "other".
    private func lockHolder() async throws -> RunningProgram {
        // The lock of lockf is the kind that excludes the program's own (fcntl_locking(2)).
        let script = """
            import fcntl, os, sys
            lock = os.open(sys.argv[1], os.O_RDWR)
            fcntl.lockf(lock, fcntl.LOCK_EX)
            text = open(sys.argv[2]).read().replace('"old"', '"other"')
            print("locked", flush=True)
            sys.stdin.read()
            open(sys.argv[2], "w").write(text)
            """
        let holder = try RunningProgram(
            "python3", "-c", script, "\(state.path)/known-hosts.lock", file.path)
        try await holder.waitForLine(containing: "locked")
        return holder
    }

    /// Whether this process has the file at `path` open.
    private func isOpen(_ path: String) -> Bool {
        let files = FileManager.default
        let numbers = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return numbers.contains {
            (try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
        }
    }

    private struct Lost: Error {}

    private func place(_ text: String) throws {
        try folder.makeFolder("beamscribe")
        try folder.write(text, to: "beamscribe/known-hosts.json")
    }
}
