import Foundation
import Glibc
import TestSupport
import Testing

@testable import BeamscribeIO

@Suite struct HostKeyFileTests {
    private let folder: TemporaryFolder
    private let state: StateFolder
    private let file: HostKeyFile
    private let key = Array("-----BEGIN PRIVATE KEY-----\n".utf8)

    init() throws {
        folder = try TemporaryFolder()
        state = StateFolder(environment: ["XDG_STATE_HOME": folder.path])
        file = HostKeyFile(in: state)
    }

    @Test func key_isNone_whereThereIsNoFile() throws {
        #expect(try file.load() == nil)
        #expect(!FileManager.default.fileExists(atPath: state.path))
    }

    @Test func key_lasts_andIsForTheOwnerOnly() throws {
        #expect(try file.create(key) == kept)
        #expect(try HostKeyFile(in: state).load() == kept)
        #expect(try mode(file.path) == 0o600)
        #expect(try mode(state.path) == 0o700)
        #expect(try names() == ["host-key.pem"])
    }

    @Test func key_isNeverReplaced() throws {
        _ = try file.create(key)
        #expect(try file.create([1, 2, 3]) == kept)
        #expect(try file.load() == kept)
        #expect(try names() == ["host-key.pem"])
    }

    @Test func key_isEveryBodysFirst_whenManyMakeItAtOnce() async throws {
        for _ in 0..<20 {
            let folder = try TemporaryFolder()
            let state = StateFolder(environment: ["XDG_STATE_HOME": folder.path])
            let keys = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for number in UInt8(0)..<8 {
                    group.addTask {
                        try HostKeyFile(in: state)
                            .create([UInt8](repeating: number, count: 5_000)).pem
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(keys.count == 8 && Set(keys).count == 1)
            #expect(try HostKeyFile(in: state).load()?.pem == keys.first)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: state.path) == ["host-key.pem"])
        }
    }

    @Test(arguments: [0o640, 0o644, 0o604, 0o620, 0o602, 0o660, 0o666, 0o777, 0o700, 0o400, 0o600])
    func exposedKey_isClosedToOthers_andThatIsTold(_ permissions: Int) throws {
        _ = try file.create(key)
        try set(permissions)
        let isExposed = permissions & 0o077 != 0
        #expect(try file.load() == contents(wasExposed: isExposed))
        #expect(try mode(file.path) == (isExposed ? 0o600 : permissions))
        #expect(try file.load() == kept)
    }

    @Test func exposedKey_isTold_whenItIsMadeAgain() throws {
        _ = try file.create(key)
        try set(0o644)
        #expect(try file.create([1]) == contents(wasExposed: true))
    }

    @Test func link_isRefused_andWhatItLeadsToIsLeftAlone() throws {
        try folder.write("mine", to: "elsewhere")
        try folder.makeFolder("beamscribe")
        try FileManager.default.createSymbolicLink(
            atPath: file.path, withDestinationPath: folder.path(of: "elsewhere"))
        let before = try mode(folder.path(of: "elsewhere"))
        expectRefusal("\(file.path): it is a symbolic link")
        #expect(throws: SystemError.self) { try file.create(key) }
        #expect(try folder.read("elsewhere") == "mine")
        #expect(try mode(folder.path(of: "elsewhere")) == before)
        #expect(try names() == ["host-key.pem"])
    }

    @Test func danglingLink_isRefused() throws {
        try folder.makeFolder("beamscribe")
        try FileManager.default.createSymbolicLink(
            atPath: file.path, withDestinationPath: folder.path(of: "nowhere"))
        expectRefusal("symbolic link")
        #expect(throws: SystemError.self) { try file.create(key) }
        #expect(!FileManager.default.fileExists(atPath: folder.path(of: "nowhere")))
    }

    @Test func folderOrPipe_isRefused_withoutWaiting() throws {
        try folder.makeFolder("beamscribe/host-key.pem")
        expectRefusal("no regular file")
        try FileManager.default.removeItem(atPath: file.path)
        try #require(mkfifo(file.path, 0o600) == 0)
        expectRefusal("no regular file")
    }

    @Test func largeFile_isRefused() throws {
        _ = try file.create([UInt8](repeating: 7, count: 65_536))
        #expect(try file.load()?.pem.count == 65_536)
        try FileManager.default.removeItem(atPath: file.path)
        #expect(throws: SystemError.self) {
            try file.create([UInt8](repeating: 7, count: 65_537))
        }
    }

    @Test(Skip.unless(geteuid() == 0 ? nil : "only root can give a file away"))
    func anothersFile_isRefused() throws {
        _ = try file.create(key)
        try #require(chown(file.path, 12_345, 12_345) == 0)
        expectRefusal("belongs to user 12345")
    }

    private var kept: HostKeyFile.Contents { contents(wasExposed: false) }

    private func contents(wasExposed: Bool) -> HostKeyFile.Contents {
        HostKeyFile.Contents(pem: key, wasExposed: wasExposed)
    }

    private func expectRefusal(_ part: String) {
        do throws(SystemError) {
            _ = try file.load()
            Issue.record("not refused: \(part)")
        } catch {
            #expect("\(error)".contains(part))
        }
    }

    private func set(_ permissions: Int) throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: permissions], ofItemAtPath: file.path)
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: state.path)
    }
}
