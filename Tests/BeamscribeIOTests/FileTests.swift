import Foundation
import Glibc
import TestSupport
import Testing

@testable import BeamscribeIO

@Suite struct FileTests {
    @Test func deviceID_lasts_andIsClaimedOnce() throws {
        let folder = try TemporaryFolder()
        let state = StateFolder(environment: ["XDG_STATE_HOME": folder.path])
        var first: DeviceID? = try state.claimDeviceID()
        let id = try #require(first).id
        #expect(try state.claimDeviceID().id != id)
        withExtendedLifetime(first) {}
        first = nil
        #expect(try state.claimDeviceID().id == id)
    }

    @Test func stateFolder_isForItsOwnerOnly() throws {
        let folder = try TemporaryFolder()
        let state = StateFolder(environment: ["XDG_STATE_HOME": folder.path])
        _ = try state.claimDeviceID()
        let files = FileManager.default
        let mode = { (path: String) in
            try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(state.path) == 0o700)
        #expect(try mode(state.path + "/device-id") == 0o600)
    }

    @Test func stateFolder_isWhereTheSpecificationSays() {
        let path = { StateFolder(environment: $0).path }
        #expect(path(["HOME": "/home/ann"]) == "/home/ann/.local/state/beamscribe")
        #expect(path(["HOME": "/h", "XDG_STATE_HOME": "/s"]) == "/s/beamscribe")
        #expect(path(["HOME": "/h", "XDG_STATE_HOME": "s"]) == "/h/.local/state/beamscribe")
    }

    @Test(arguments: [
        [:], ["HOME": ""], ["HOME": "relative"], ["HOME": "~", "XDG_STATE_HOME": "s"],
    ])
    func home_isThatOfTheUserDatabase_whereHomeSaysNothing(environment: [String: String]) throws {
        let home = String(cString: try #require(getpwuid(geteuid())).pointee.pw_dir)
        #expect(StateFolder(environment: environment).path == home + "/.local/state/beamscribe")
        #expect(ConfigFolder(environment: environment).path == home + "/.config/beamscribe")
    }

    /// A user without an entry, as in a container.
    @Test func stateFolder_isRefused_whereNobodyKnowsOfAHome() throws {
        let state = StateFolder(environment: [:], user: 4_000_000_123)
        let sentence = "HOME is not set, and the user database knows no home of this user; set HOME"
        do throws(SystemError) {
            _ = try state.claimDeviceID()
            Issue.record("a folder was found: \(state.path)")
        } catch {
            #expect("\(error)".contains(sentence))
        }
        let settings = ConfigFolder(environment: [:], user: 4_000_000_123)
        #expect(throws: SystemError.self) { try settings.replace("config.json", with: [0x7B]) }
        #expect(try settings.read("config.json") == nil)
        #expect(
            "\(String(describing: StateFolderCondition(of: state.path).refusal))".contains("HOME"))
    }

    @Test func outputFile_isNotMade_overAnother() throws {
        let folder = try TemporaryFolder()
        try folder.write("mine", to: "notes.txt")
        do throws(SystemError) {
            _ = try OutputFile(creating: folder.path(of: "notes.txt"))
            Issue.record("a file was overwritten")
        } catch {
            #expect("\(error)".contains("File exists"))
        }
        #expect(try folder.read("notes.txt") == "mine")
    }

    @Test func source_readsAFile_toItsEnd() throws {
        let folder = try TemporaryFolder()
        let text = String(repeating: "0123456789", count: 10_000)
        try folder.write(text, to: "input")
        let loop = try EventLoop()
        var bytes: [UInt8] = []
        let source = try ByteSource(path: folder.path(of: "input"), size: 4_096, on: loop) {
            bytes += $0
            return $0.count
        } ended: { error in
            #expect(error == nil)
            loop.stop()
        }
        loop.schedule(after: .seconds(10)) { loop.stop() }
        loop.run()
        #expect(bytes == Array(text.utf8))
        withExtendedLifetime(source) {}
    }

    @Test func source_rests_whilePaused() throws {
        let folder = try TemporaryFolder()
        try folder.write("abcdefgh", to: "input")
        let loop = try EventLoop()
        var reads = 0
        var source: ByteSource?
        source = try ByteSource(path: folder.path(of: "input"), size: 2, on: loop) { bytes in
            reads += 1
            source?.isPaused = true
            loop.schedule(after: .milliseconds(5)) {
                #expect(source?.isPaused == true)
                source?.isPaused = false
            }
            return bytes.count
        } ended: { _ in
            loop.stop()
        }
        loop.schedule(after: .seconds(10)) { loop.stop() }
        loop.run()
        #expect(reads == 4)
    }

    @Test func source_refusesADirectory() {
        #expect(throws: SystemError.self) {
            _ = try ByteSource(path: "/", size: 16, on: EventLoop()) {
                $0.count
            } ended: { _ in
            }
        }
    }
}
