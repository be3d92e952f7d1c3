import BeamscribeCore
import Dispatch
import Foundation
import Glibc
import TestSupport
import Testing

@testable import BeamscribeIO

/// What is found out about a machine, on this one and in folders that stand for its files.
@Suite struct ProbeTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private var files: SystemFiles { SystemFiles(root: folder.path) }

    // MARK: Blocking calls and tools

    @Test func blockingCall_answers_orIsGivenUp() async {
        #expect(await BlockingCall.run(within: .seconds(10)) { 42 } == 42)
        let gate = DispatchSemaphore(value: 0)
        // The gate opens only afterwards: an answer at all is one that did not wait for it.
        #expect(await BlockingCall.run(within: .milliseconds(50)) { gate.wait() } == nil)
        gate.signal()
    }

    @Test func tool_answers_withItsOutputAndCode() throws {
        let shell = try #require(SystemTool.path(of: "sh", environment: [:]))
        let answer = SystemTool.run(
            shell, ["-c", "cat; echo out; echo err >&2; exit 3"], patience: .seconds(10))
        #expect(answer?.code == 3)
        #expect(answer?.output == "out\n")
        #expect(SystemTool.run("/nowhere", [], patience: .seconds(1)) == nil)
        #expect(SystemTool.path(of: "no-such-tool", environment: ["PATH": "/bin"]) == nil)
    }

    @Test func tool_isKilled_whenItDoesNotEnd() throws {
        let shell = try #require(SystemTool.path(of: "sh", environment: [:]))
        // An end at all is one that nobody slept for.
        let sleep = ["-c", "exec sleep 1000000"]
        #expect(SystemTool.run(shell, sleep, patience: .milliseconds(50)) == nil)
    }

    // MARK: Files

    @Test func files_areRead_belowTheirRoot() throws {
        try folder.makeFolder("proc/7")
        try folder.write("one two \nthree\n", to: "proc/7/comm")
        #expect(files.text("/proc/7/comm") == "one two \nthree\n")
        #expect(files.value("/proc/7/comm") == "one two")
        #expect(files.names(in: "/proc") == ["7"])
        #expect(files.exists("/proc/7"))
        #expect(!files.exists("/proc/8"))
        #expect(files.text("/proc/8") == nil)
        #expect(files.text("/proc") == nil)
        #expect(files.names(in: "/nowhere") == [])
        #expect(SystemFiles().text("/proc/self/stat")?.isEmpty == false, "Its size says 0.")
    }

    // MARK: Ports

    @Test func portOwner_isFound_inTheTablesOfProc() throws {
        try folder.makeFolder("proc/net")
        try folder.makeFolder("proc/77/fd")
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:5AE3 0100007F:1234 01 00000000:00000000 00:00000000 00000000  1000        0 11 1
               1: 00000000:5AE3 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 22 1

            """
        try folder.write(table, to: "proc/net/tcp")
        #expect(
            PortOwner.of(23_267, in: files) == PortOwner(program: nil, process: nil, user: 1_000))
        try folder.write("beamscribe\n", to: "proc/77/comm")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(of: "proc/77/fd/5"), withDestinationPath: "socket:[22]")
        let owner = PortOwner(program: "beamscribe", process: 77, user: 1_000)
        #expect(PortOwner.of(23_267, in: files) == owner)
        #expect(PortOwner.of(4_660, in: files) == nil, "That is the other end's.")
        #expect(PortOwner.of(23_268, in: files) == nil)
    }

    @Test func portOwner_isThisProcess_whereItListens() throws {
        for address in ["127.0.0.1", "::1"] {
            let listener = try Listener(
                at: Endpoint(IPAddress(address)!, port: 0), on: EventLoop())
            let owner = PortOwner.of(listener.endpoint.port, in: SystemFiles())
            #expect(owner?.process == getpid())
            #expect(owner?.user == geteuid())
        }
    }

    @Test func portProbe_reachesThisMachine() throws {
        let addresses = ["127.0.0.1", "::1"].compactMap(IPAddress.init)
        let findings = PortProbe.run(port: 0, at: addresses, patience: .seconds(10))
        #expect(findings == PortProbe.Findings(reached: addresses))
        #expect(
            PortProbe.run(port: 0, at: [], patience: .seconds(1)) == PortProbe.Findings())
    }

    @Test func portProbe_tellsThatAPortIsTaken_andTriesAnother() throws {
        let address = IPAddress("127.0.0.1")!
        let listener = try Listener(at: Endpoint(address, port: 0), on: EventLoop())
        let port = listener.endpoint.port
        let findings = PortProbe.run(port: port, at: [address], patience: .seconds(10))
        #expect(findings.refusal?.isAddressInUse == true)
        #expect(findings.reached == [address])
        withExtendedLifetime(listener.endpoint) {}
    }

    @Test func portProbe_passesOverAddresses_thatAreNotReady() {
        let foreign = IPAddress("192.0.2.1")!
        let findings = PortProbe.run(port: 0, at: [foreign], patience: .seconds(1))
        #expect(findings == PortProbe.Findings())
    }

    // MARK: Interfaces

    @Test func interfaces_haveTheLoopback() throws {
        let loopback = try #require(NetworkInterface.all().first { $0.name == "lo" })
        #expect(loopback.isLoopback && loopback.isUp && loopback.hasCarrier)
        #expect(!loopback.isPointToPoint)
        #expect(loopback.addresses.contains(IPAddress("127.0.0.1")!))
        #expect(loopback.index > 0)
    }

    // MARK: The state folder, the disk, the clock

    @Test func stateFolder_canBeMade_belowAFolderThatIsThere() throws {
        let path = folder.path(of: "a/b/beamscribe")
        let condition = StateFolderCondition(of: path)
        #expect(condition == StateFolderCondition(path: path, nearest: folder.path))
        #expect(!condition.exists)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names == [], "Nothing was made.")
    }

    @Test func stateFolder_isSeen_asItIs() throws {
        let path = try folder.makeFolder("beamscribe")
        for mode in [0o755, 0o700] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let condition = StateFolderCondition(of: path)
            #expect(condition.mode == UInt32(clamping: mode))
            #expect(condition.isOwn && condition.exists && condition.refusal == nil)
        }
    }

    @Test func stateFolder_isRefused_whereAFileIs() throws {
        let path = try folder.write("", to: "beamscribe")
        #expect(StateFolderCondition(of: path).refusal?.code == ENOTDIR)
        #expect(StateFolderCondition(of: path + "/below").refusal?.code == ENOTDIR)
    }

    @Test func diskSpace_isThatOfTheFileSystem() throws {
        let space = try DiskSpace.of(folder.path)
        let attributes = try FileManager.default.attributesOfFileSystem(forPath: folder.path)
        let free = try #require(attributes[.systemFreeSize] as? NSNumber).uint64Value
        // Others write at the same time.
        #expect(space.bytes > free / 2 && space.bytes < free * 2 + 1)
        #expect(throws: SystemError.self) { try DiskSpace.of("/no/such/place") }
    }

    @Test func clock_tellsTheYear() {
        let year = Calendar(identifier: .gregorian).component(.year, from: Date())
        #expect(abs(ClockState.now().year - year) <= 1)
        #expect(ClockState.now().isSynchronised != nil)
    }
}
