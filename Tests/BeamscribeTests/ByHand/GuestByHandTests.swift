import BeamscribeCore
import BeamscribeTLS
import FoundationEssentials
import Glibc
import Testing

@testable import Beamscribe
@testable import BeamscribeDiscovery
@testable import BeamscribeIO

/// A whole guest, whose network, discovery and host are played by a test, without TLS.
@MainActor @Suite struct GuestByHandTests {
    private let machine = HandMachine()
    private let session = UUID()
    private let given = Endpoint(IPAddress("192.0.2.1")!, port: 1)

    private func guest(
        _ target: GuestConfiguration.Target? = nil,
        _ change: (inout GuestConfiguration) -> Void = { _ in }
    ) throws -> Guest {
        var configuration = GuestConfiguration(
            target: target ?? .endpoints([given], name: "here"),
            session: GuestSession.Configuration(displayName: "Ann"),
            device: DeviceSecret(UUID()), security: .plain)
        configuration.usesBluetooth = false
        change(&configuration)
        return try Guest(configuration, in: machine)
    }

    /// The newest try leads to the host, which lets the guest in.
    private func letIn() throws -> HandStream {
        machine.pass(.zero)
        let stream = try #require(machine.dialled.last?.stream)
        stream.ready(.write)
        machine.pass(.zero)
        var welcome = HandshakeResponse(status: .accepted)
        (welcome.session, welcome.firstSeq, welcome.lastSeq) = (session.wireName, 1, 0)
        let history = FullHistory(session: session.wireName, from: 1, through: 0)
        for packet in [Packet.handshakeResponse(welcome), .fullHistory(history)] {
            stream.receive(try FrameEncoder().frame(packet))
        }
        return stream
    }

    /// Somebody announces this session at this address.
    private func announced(
        _ session: UUID?, at address: String
    ) throws -> ServiceInstance {
        var txt = TXTRecord()
        if let session { txt.set("session", session.wireName) }
        return ServiceInstance(
            name: "Town Hall", type: DiscoveredHost.serviceType, domain: "local", hostName: "stage",
            port: 1, txt: txt,
            addresses: [.init(address: try #require(IPAddress(address)), interface: "eth0")])
    }

    private var tried: [String] { machine.dialled.map { "\($0.to)" } }

    @Test func guest_hasJoined_onceAHostHasLetItIn_untilItsEnd() async throws {
        let guest = try guest()
        await guest.start()
        #expect(await !guest.hasJoined)
        let stream = try letIn()
        #expect(await guest.hasJoined)
        await guest.stop()
        #expect(await !guest.hasJoined && stream.isFinished)
        #expect(machine.due == nil, "nothing is left to fall due")
    }

    @Test func lostHost_isLookedFor_byItsSession() async throws {
        let guest = try guest()
        await guest.start()
        #expect(machine.browser == nil, "who was given an address looks for nobody")
        try letIn().receive([])
        let browser = try #require(machine.browser)
        #expect(browser.isRunning)
        machine.dialled.last?.stream.failure = SystemError("connect", code: ECONNREFUSED)
        let before = tried.count
        browser.handler?(
            .changed([
                try announced(UUID(), at: "192.0.2.7"), try announced(nil, at: "192.0.2.8"),
            ]))
        machine.pass(.milliseconds(900))
        #expect(!tried.contains("192.0.2.7:1") && !tried.contains("192.0.2.8:1"))
        browser.handler?(.changed([try announced(session, at: "192.0.2.9")]))
        machine.pass(.milliseconds(900))
        #expect(tried.dropFirst(before).contains("192.0.2.9:1"))
        await guest.stop()
        #expect(!browser.isRunning)
    }

    @Test func chosenHost_isFoundAgain_byItsName_beforeItHasTold() async throws {
        let host = try #require(DiscoveredHost(try announced(nil, at: "192.0.2.1")))
        let guest = try guest(.host(host))
        await guest.start()
        machine.pass(.zero)
        machine.dialled[0].stream.failure = SystemError("connect", code: ECONNREFUSED)
        machine.dialled[0].stream.ready(.write)
        let browser = try #require(machine.browser)
        var other = try announced(nil, at: "192.0.2.7")
        other.name = "Cinema"
        browser.handler?(.changed([other, try announced(nil, at: "192.0.2.9")]))
        machine.pass(.milliseconds(900))
        #expect(tried.contains("192.0.2.9:1") && !tried.contains("192.0.2.7:1"))
        await guest.stop()
    }

    @Test func guestByAChannel_listensForAWhile_whenItsAddressesChange() async throws {
        let address = try #require(BluetoothAddress("00:11:22:33:44:55", kind: .public))
        var host = try #require(DiscoveredHost(try announced(session, at: "192.0.2.1")))
        (host.endpoints, host.channels) = ([], [ChannelEndpoint(address, psm: 0x83)])
        let guest = try guest(.host(host)) { $0.usesBluetooth = true }
        await guest.start()
        let stream = try letIn()
        let scanner = try #require(machine.scanner)
        #expect(!scanner.isRunning, "the air is in use")
        machine.addressesChanged()
        #expect(scanner.isRunning)
        for _ in 1...5 {
            machine.pass(Limits.beaconListening / 5)
            stream.receive(try FrameEncoder().frame(.keepAlive(KeepAlive(timestamp: machine.wall))))
        }
        #expect(!scanner.isRunning)
        machine.addressesChanged()
        await guest.stop()
        #expect(machine.due == nil, "nothing is left to fall due")
    }
}
