import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeTLS
import FoundationEssentials
import Testing

@testable import Beamscribe
@testable import BeamscribeIO

@Suite struct HostAnnouncementTests {
    private let machine = HandMachine()
    private let session = UUID()

    private func configuration(
        _ change: (inout HostConfiguration) -> Void = { _ in }
    ) throws -> HostConfiguration {
        var configuration = HostConfiguration(
            eventName: "Town Hall", deviceName: "stage", deviceID: UUID(), session: session,
            security: HostSecurity(try HostKey()))
        change(&configuration)
        return configuration
    }

    private func endpoints(_ addresses: String...) throws -> [Endpoint] {
        try addresses.map { Endpoint(try #require(IPAddress($0)), port: 4_711) }
    }

    /// The host's machine has these addresses from now on.
    private func move(to addresses: String...) throws {
        machine.interfaces = try addresses.map {
            Interfaces.Entry(
                interface: "eth0", index: 3, address: try #require(IPAddress($0)),
                isMulticast: true)
        }
        machine.addressesChanged()
    }

    /// An announcement that has begun, and what it tells.
    private func begun(
        _ configuration: HostConfiguration, joinable: [Endpoint], psm: UInt8? = nil
    ) throws -> (HostAnnouncement, told: () -> [HostNews]) {
        let announcement = HostAnnouncement(of: configuration, in: machine)
        var told: [HostNews] = []
        announcement.tell = { told.append($0) }
        announcement.begin(at: try endpoints("0.0.0.0"), joinable: joinable, channelPSM: psm)
        return (announcement, { told })
    }

    @Test func event_isAnnounced_withItsPort_andWhatBecomesOfItIsTold() throws {
        let (announcement, told) = try begun(configuration(), joinable: [])
        let service = try #require(machine.announced.first)
        #expect(service.isRunning && service.advertisement.port == 4_711)
        #expect(service.advertisement.name == "Town Hall")
        let txt = service.advertisement.txt
        #expect(txt["v"] == "1" && txt["sec"] == "tls" && txt["session"] == session.wireName)
        service.handler?(.registered(name: "Town Hall (2)"))
        service.handler?(.unavailable("no daemon"))
        #expect(told() == [.announced(name: "Town Hall (2)"), .announcementFailed("no daemon")])
        announcement.stop()
        #expect(!service.isRunning && machine.beacons.allSatisfy(\.isStopped))
    }

    @Test func nothing_isSent_whereItIsNotWanted() throws {
        let quiet = try configuration {
            $0.announces = false
            $0.bluetooth = .nothing
        }
        let (announcement, _) = try begun(quiet, joinable: [])
        announcement.add(Advertisement(name: "x", type: "_http._tcp", port: 1, txt: TXTRecord()))
        try move(to: "192.0.2.1")
        #expect(machine.announced.isEmpty && machine.beacons.isEmpty)
    }

    @Test func event_isNotAnnounced_whereNobodyListens() throws {
        let announcement = HostAnnouncement(of: try configuration(), in: machine)
        announcement.begin(at: [], joinable: [], channelPSM: nil)
        #expect(machine.announced.isEmpty && machine.beacons[0].sent[0].payload?.port == 0)
    }

    @Test(arguments: [
        (["127.0.0.1", "2001:db8::1", "192.0.2.1", "192.0.2.2"], "192.0.2.1"),
        (["2001:db8::1"], nil), (["127.0.0.1"], nil), ([], nil),
    ])
    func beacon_tellsTheLikeliestAddress_thatAnotherMachineCanReach(
        joinable: [String], told: String?
    ) throws {
        let endpoints = try joinable.map { Endpoint(try #require(IPAddress($0)), port: 4_711) }
        _ = try begun(configuration(), joinable: endpoints, psm: 0x83)
        let payload = try #require(machine.beacons.first?.sent.first?.payload)
        #expect(payload.address == told.flatMap { IPAddress($0) })
        #expect(payload.port == 4_711 && payload.channelPSM == 0x83)
        #expect(payload.sessionTag == BeaconPayload.sessionTag(of: session.wireName))
    }

    @Test func beacon_saysAnew_onlyWhatHasChanged_andNothingAfterTheEnd() throws {
        let (announcement, _) = try begun(configuration(), joinable: endpoints("192.0.2.1"))
        let beacon = try #require(machine.beacons.first)
        try move(to: "192.0.2.1", "192.0.2.9")
        #expect(beacon.sent.count == 1)
        try move(to: "192.0.2.9")
        #expect(beacon.sent.count == 2 && beacon.sent[0].name == "Town Hal")
        announcement.stop()
        try move(to: "192.0.2.1")
        announcement.add(Advertisement(name: "x", type: "_http._tcp", port: 1, txt: TXTRecord()))
        #expect(beacon.sent.count == 2 && machine.announced.count == 1)
    }

    @Test(arguments: [nil, 0x83] as [UInt8?])
    func beacon_isToldOf_withWhetherItTakesGuests(psm: UInt8?) throws {
        let (announcement, told) = try begun(configuration(), joinable: [], psm: psm)
        let beacon = try #require(machine.beacons.first)
        let trouble = BluetoothTrouble.noDaemon
        beacon.handler?(.advertising(adapters: ["hci0"]))
        beacon.handler?(.unavailable(trouble))
        let there = HostNews.beacon(adapters: ["hci0"], takesGuests: psm != nil)
        #expect(told() == [there, .beaconFailed(trouble)])
        announcement.end()
    }

    @Test func furtherService_isAnnounced_whereTheHostListens() throws {
        let address = try #require(IPAddress("192.0.2.1"))
        machine.interfaces = [
            Interfaces.Entry(interface: "eth0", index: 3, address: address, isMulticast: true)
        ]
        let (announcement, _) = try begun(
            configuration { $0.addresses = [address] }, joinable: [])
        announcement.add(Advertisement(name: "x", type: "_http._tcp", port: 1, txt: TXTRecord()))
        #expect(machine.announced.map(\.advertisement.interfaces) == [[3], [3]])
        #expect(machine.announced[1].handler == nil && machine.announced[1].isRunning)
    }
}
