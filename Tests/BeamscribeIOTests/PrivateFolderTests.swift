import BeamscribeCore
import BeamscribeIO
import Foundation
import TestSupport
import Testing

/// Nobody can lead the program's files elsewhere, and nobody else can read them.
@Suite struct PrivateFolderTests {
    private let folder: TemporaryFolder
    /// Where planted links lead.
    private let elsewhere: TemporaryFolder
    private let state: StateFolder
    private let files = FileManager.default
    private let session = "6265616d-7363-4269-a265-000000000001"

    init() throws {
        folder = try TemporaryFolder()
        elsewhere = try TemporaryFolder()
        state = StateFolder(environment: ["XDG_STATE_HOME": folder.path])
        try elsewhere.write("theirs", to: "file")
        try elsewhere.makeFolder("folder")
    }

    private var store: SessionStore { SessionStore(in: state) }

    private var record: SessionRecord {
        SessionRecord(session: session, eventName: "E", deviceName: "D", started: 1)
    }

    private func create() throws {
        _ = try store.create(record)
        _ = try state.claimDeviceID()
    }

    private func path(_ name: String) -> String {
        name.isEmpty ? state.path : "\(state.path)/\(name)"
    }

    private var sessionPath: String { "events/\(session)" }

    private func plant(linkAt name: String, to target: String) throws {
        try? files.removeItem(atPath: path(name))
        try files.createSymbolicLink(
            atPath: path(name), withDestinationPath: elsewhere.path(of: target))
    }

    private func refusal(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "nothing was refused"
        } catch {
            return "\(error)"
        }
    }

    private func expectNothingElsewhere() throws {
        #expect(try elsewhere.read("file") == "theirs")
        #expect(try files.contentsOfDirectory(atPath: elsewhere.path(of: "folder")) == [])
        #expect(try files.contentsOfDirectory(atPath: elsewhere.path).count == 2)
    }

    // MARK: Links

    @Test(arguments: ["", "events", "events/6265616d-7363-4269-a265-000000000001"])
    func link_isRefused_inPlaceOfAFolder(_ name: String) throws {
        try files.createDirectory(
            atPath: path(name.isEmpty ? "" : "events"), withIntermediateDirectories: true)
        try plant(linkAt: name, to: "folder")
        for attempt in [{ _ = try store.create(record) }, { _ = try store.open(session) }] {
            let refusal = refusal(attempt)
            #expect(refusal.contains(path(name)) && refusal.contains("symbolic link"), "\(refusal)")
        }
        if name.isEmpty { #expect(throws: SystemError.self) { try state.claimDeviceID() } }
        if name.count < 7 { #expect(throws: SystemError.self) { try store.list() } }
        try expectNothingElsewhere()
    }

    @Test func link_isRefused_inPlaceOfAFile() throws {
        try create()
        try plant(linkAt: "device-id", to: "file")
        #expect(
            refusal { _ = try state.claimDeviceID() }.contains("device-id: it is a symbolic link"))
        try plant(linkAt: "\(sessionPath)/log", to: "file")
        #expect(refusal { _ = try store.create(record) }.contains("/log: it is a symbolic link"))
        #expect(refusal { _ = try store.open(session) }.contains("symbolic link"))
        #expect(refusal { _ = try store.log(of: session) }.contains("symbolic link"))
        #expect(try store.list().isEmpty)
        try expectNothingElsewhere()
    }

    @Test(arguments: ["link", "nothing"])
    func link_isReplaced_whereAFileIsWrittenAnew(_ target: String) throws {
        let target = target == "link" ? "file" : "not-there"
        let files = try store.create(record)
        for name in ["meta.json", "meta.json.new", "cut-off-at-0", "cut-off-at-0.new"] {
            try plant(linkAt: "\(sessionPath)/\(name)", to: target)
        }
        try files.write(record, durably: true)
        #expect(files.cutOff(0..<0) == .cutOff(kept: path("\(sessionPath)/cut-off-at-0")))
        try expectNothingElsewhere()
        for name in ["\(sessionPath)/meta.json", "\(sessionPath)/cut-off-at-0"] {
            #expect(try isOwnFile(path(name)))
        }
        #expect(try self.files.contentsOfDirectory(atPath: path(sessionPath)).count == 3)
    }

    @Test func tail_doesNotReplaceAnother_thatWasCutOffAtItsPlace() throws {
        let open = try store.create(record)
        let name = "\(sessionPath)/cut-off-at-2"
        for tail in ["torn", "torn", "other", "third"] {
            let bytes = Array("ok\(tail)".utf8)
            _ = try bytes.withUnsafeBytes { try open.log.write($0, at: 0) }
            let fate = open.cutOff(2..<UInt64(clamping: bytes.count))
            guard case .cutOff(let kept) = fate else {
                Issue.record("\(fate)")
                continue
            }
            #expect(try String(contentsOfFile: kept, encoding: .utf8) == tail)
            #expect(try open.log.status().size == 2)
        }
        for (name, tail) in [(name, "torn"), (name + "-2", "other"), (name + "-2-2", "third")] {
            #expect(try String(contentsOfFile: path(name), encoding: .utf8) == tail)
        }
    }

    @Test func tail_staysWhereItIs_whereTheCopyCannotBeMade() throws {
        let open = try store.create(record)
        let bytes = Array("ok and more".utf8)
        _ = try bytes.withUnsafeBytes { try open.log.write($0, at: 0) }
        try files.createDirectory(
            atPath: path("\(sessionPath)/cut-off-at-2.new"), withIntermediateDirectories: false)
        guard case .stays(let error) = open.cutOff(2..<UInt64(clamping: bytes.count)) else {
            Issue.record("it was cut off")
            return
        }
        #expect("\(error)".contains("cut-off-at-2.new"))
        #expect(try open.log.bytes(from: 0, limit: 100) == bytes)
    }

    @Test func replacing_leavesAlone_whatSomebodyHasOpen() throws {
        let path = try folder.write("theirs", to: "a.json.new")
        let open = try FileHandle(forUpdating: URL(filePath: path))
        try SmallFile.replace(folder.path(of: "a.json"), with: Array("mine".utf8), durably: false)
        #expect(try open.readToEnd() == Data("theirs".utf8))
        #expect(try folder.read("a.json") == "mine")
        #expect(try isOwnFile(folder.path(of: "a.json")))
    }

    /// People keep their whole state on another disk.
    @Test func link_isFollowed_aboveTheStateFolder() throws {
        try files.createSymbolicLink(
            atPath: folder.path(of: "state"), withDestinationPath: elsewhere.path(of: "folder"))
        let state = StateFolder(environment: ["XDG_STATE_HOME": folder.path(of: "state")])
        _ = try SessionStore(in: state).create(record)
        #expect(try SessionStore(in: state).list().map(\.record.session) == [session])
        let made = try files.contentsOfDirectory(atPath: elsewhere.path(of: "folder"))
        #expect(made == ["beamscribe"])
    }

    @Test func session_isNotListed_underAnothersName() throws {
        try create()
        let copy = "00000000-0000-4000-8000-000000000001"
        try files.copyItem(atPath: path(sessionPath), toPath: path("events/\(copy)"))
        #expect(try store.list().map(\.record.session) == [session])
    }

    // MARK: Other things

    @Test(.timeLimit(.minutes(1)), arguments: ["device-id", "log", "meta.json", "events", ""])
    func fifo_isRefused_andNotWaitedFor(_ name: String) throws {
        try create()
        let isInSession = ["log", "meta.json"].contains(name)
        let place = path(isInSession ? "\(sessionPath)/\(name)" : name)
        try files.removeItem(atPath: place)
        #expect(mkfifo(place, 0o600) == 0)
        let sentences = [
            refusal { _ = try state.claimDeviceID() }, refusal { _ = try store.open(session) },
            refusal { _ = try store.list() },
        ]
        let kind = ["events", ""].contains(name) ? "it is no folder" : "it is no regular file"
        let told = "\(place): \(kind); move it away"
        #expect(sentences.contains { $0.contains(kind) && $0.contains("move it away") }, "\(told)")
    }

    @Test func file_isRefused_thatIsAnotherFileToo() throws {
        try create()
        try files.removeItem(atPath: path("device-id"))
        try files.linkItem(atPath: elsewhere.path(of: "file"), toPath: path("device-id"))
        #expect(refusal { _ = try state.claimDeviceID() }.contains("it is another file, too"))
        #expect(try elsewhere.read("file") == "theirs")
    }

    @Test(Skip.withoutRoot, arguments: ["", "events", "device-id"])
    func anothersThing_isRefused(_ name: String) throws {
        try create()
        #expect(lchown(path(name), 65_534, 65_534) == 0)
        let sentence =
            name == "device-id"
            ? refusal { _ = try state.claimDeviceID() } : refusal { _ = try store.open(session) }
        #expect(sentence.contains("it belongs to user 65534"), "\(sentence)")
        #expect(sentence.contains(path(name)))
    }

    // MARK: Modes

    @Test func existingModes_areNarrowed_whenTheyAreUsed() throws {
        try create()
        let inSession = ["", "/log", "/meta.json"].map { sessionPath + $0 }
        let all = ["", "events", "device-id"] + inSession
        for name in all {
            let isFolder = try !isFile(path(name))
            try files.setAttributes(
                [.posixPermissions: isFolder ? 0o777 : 0o666], ofItemAtPath: path(name))
        }
        _ = try store.list()
        #expect(try mode(path("")) == 0o777, "looking changes nothing")
        _ = try state.claimDeviceID()
        let stored = try store.open(session)
        try stored.files.write(stored.record, durably: false)
        for name in all {
            #expect(try mode(path(name)) == (isFile(path(name)) ? 0o600 : 0o700), "\(name)")
        }
    }

    private func mode(_ path: String) throws -> Int? {
        try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private func isFile(_ path: String) throws -> Bool {
        try files.attributesOfItem(atPath: path)[.type] as? FileAttributeType == .typeRegular
    }

    private func isOwnFile(_ path: String) throws -> Bool {
        try isFile(path) && mode(path) == 0o600
    }
}
