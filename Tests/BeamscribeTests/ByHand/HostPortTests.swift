import BeamscribeCore
import BeamscribeTLS
import FoundationEssentials
import Testing

@testable import Beamscribe
@testable import BeamscribeIO

/// Where a host listens when some of what it would like is not to be had.
@Suite struct HostPortTests {
    private let machine = HandMachine()

    private func listen(on port: PortChoice, at addresses: String...) throws -> [String] {
        let log = EventLog(session: UUID(), now: machine.loop.now)
        let room = Room(
            .init(eventName: "X", deviceName: "Y", deviceID: UUID()), serving: log, seed: 1)
        let server = try HostServer(room, HostSecurity(try HostKey()), in: machine)
        return try server.listen(on: port, at: addresses.map { try #require(IPAddress($0)) })
            .map(\.description)
    }

    @Test func host_listensEverywhere_atTheUsualPort() throws {
        #expect(try listen(on: .standard) == ["0.0.0.0:23267", "[::]:23267"])
        #expect(try listen(on: .preferred(7)) == ["0.0.0.0:7", "[::]:7"])
        machine.hasIPv6 = false
        #expect(try listen(on: .number(9)) == ["0.0.0.0:9"])
    }

    @Test func host_takesAnotherPort_whereThatIsTaken_unlessItIsWantedSo() throws {
        machine.isTaken = { $0.port == 23_267 }
        #expect(try listen(on: .standard) == ["0.0.0.0:40001", "[::]:40001"])
        #expect(throws: SystemError.self) { try listen(on: .number(23_267)) }
        machine.isTaken = { $0.port == 7 }
        #expect(try listen(on: .preferred(7)) == ["0.0.0.0:23267", "[::]:23267"])
    }

    @Test func addresses_haveOnePort_alsoWhereItIsTakenAtOneOfThem() throws {
        // The first free ports are taken at the second address.
        machine.isTaken = { $0.address == IPAddress("192.0.2.2") && $0.port < 40_003 }
        let places = try listen(on: .number(0), at: "192.0.2.1", "192.0.2.2")
        #expect(places == ["192.0.2.1:40003", "192.0.2.2:40003"])
        machine.isTaken = { $0.address == IPAddress("192.0.2.2") }
        #expect(throws: SystemError.self) {
            try listen(on: .number(0), at: "192.0.2.1", "192.0.2.2")
        }
        #expect(machine.triedPorts == 3 + 8, "not for ever")
    }

    @Test func trouble_thatIsNoTakenPort_isTold() {
        machine.hasIPv4 = false
        #expect(throws: SystemError.self) { try listen(on: .standard) }
        #expect(machine.triedPorts == 0)
    }
}
