import BeamscribeIO
import Testing

@testable import BeamscribeDiscovery

/// A scanner that hears what a test says.
final class FakeScanner: BeaconScanner {
    var handler: ((BeaconScannerEvent) -> Void)?
    var isListening = false

    func start() { isListening = true }
    func stop() { isListening = false }
}

@Suite struct HeardHostTests {
    private let session = "963435f3-1dc9-4def-bf99-59a085b55c03"

    @Test func host_isListedOnce_whenItIsAnnouncedAndHeard() throws {
        let (finder, browser, scanner) = try make()
        scanner.handler?(.changed([try beacon("hci0", at: "192.0.2.9", psm: 0x81)]))
        #expect(finder.hosts.map(\.ways) == [[.bluetooth]])
        #expect(finder.hosts.map(\.eventName) == ["Town Hal"])
        browser.handler?(.changed([try announced()]))
        #expect(finder.hosts.count == 1)
        let host = try #require(finder.hosts.first)
        #expect(host.ways == [.bonjour, .bluetooth] && host.eventName == "Town Hall")
        #expect(host.endpoints.map(\.description) == ["192.0.2.7:23267", "192.0.2.9:23267"])
        #expect(host.channels.map(\.psm) == [0x81])
        scanner.handler?(.changed([]))
        #expect(finder.hosts.map(\.ways) == [[.bonjour]])
    }

    @Test func host_isListedOnce_whenEachOfItsAdaptersIsHeard() throws {
        let (finder, _, scanner) = try make()
        scanner.handler?(
            .changed([
                try beacon("hci0", at: nil, psm: 0x81), try beacon("hci1", at: nil, psm: 0x81),
            ]))
        #expect(finder.hosts.map(\.channels.count) == [2])
        #expect(finder.hosts.first?.endpoints == [])
    }

    @Test func hosts_areApart_whenTheirSessionsAre() throws {
        let (finder, browser, scanner) = try make()
        browser.handler?(.changed([try announced()]))
        scanner.handler?(.changed([try beacon("hci0", at: "192.0.2.9", session: "another")]))
        #expect(finder.hosts.count == 2)
    }

    @Test func beaconWithoutAnAddress_makesTheBrowserAskAgain_once() throws {
        let (finder, browser, scanner) = try make()
        let phone = HeardBeacon(
            id: "phone", device: try device(), name: "Phone", payload: nil)
        scanner.handler?(.changed([phone]))
        #expect(browser.refreshes == 1)
        #expect(finder.hosts.isEmpty)
        scanner.handler?(.changed([phone]))
        scanner.handler?(.changed([phone, try beacon("hci0", at: "192.0.2.9")]))
        #expect(browser.refreshes == 1)
    }

    @Test func finder_isSettled_onceBothAre() throws {
        let (finder, browser, scanner) = try make()
        browser.handler?(.settled)
        #expect(!finder.isSettled)
        scanner.handler?(.settled)
        #expect(finder.isSettled)
    }

    @Test func finder_isSettled_byWhatItHears_whenTheNetworkTellsNothing() throws {
        let (finder, browser, scanner) = try make()
        browser.handler?(.unavailable("no daemon"))
        scanner.handler?(.settled)
        #expect(finder.isSettled)
        scanner.handler?(.unavailable(.noAdapter))
        #expect(!finder.isSettled, "Nobody can be found, which is not that there is nobody.")
        #expect(finder.bluetoothTrouble == .noAdapter)
        scanner.handler?(.available)
        #expect(finder.bluetoothTrouble == nil)
    }

    @Test func finder_leavesTheAir_andForgetsWhatItHeard() throws {
        let (finder, _, scanner) = try make()
        finder.start()
        #expect(scanner.isListening)
        scanner.handler?(.changed([try beacon("hci0", at: "192.0.2.9")]))
        finder.listenNoMore()
        #expect(!scanner.isListening && finder.hosts.isEmpty)
        finder.listen()
        #expect(scanner.isListening)
        finder.stop()
        #expect(!scanner.isListening)
    }

    @Test(arguments: [
        ("Town Hall", true), ("Town Hall Meeting", true), ("town hall", true), ("Town", true),
        ("Town Hal", true), ("Tower", false), ("Hall", false), ("x", false),
    ])
    func heardHost_isJoined_byTheWholeNameOrABeginning(name: String, isJoined: Bool) throws {
        let host = try #require(DiscoveredHost(beacon("hci0", at: "192.0.2.9")))
        let choice = HostChoice.decide(name: name, among: [host], isSettled: true)
        #expect(choice == (isJoined ? .join(host) : .wait))
    }

    @Test func announcedHost_isPreferred_toAnotherThatWasHeard() throws {
        let heard = try #require(DiscoveredHost(beacon("hci0", at: "192.0.2.9", session: "other")))
        let whole = try #require(DiscoveredHost(announced()))
        let choice = HostChoice.decide(name: "Town Hall", among: [heard, whole], isSettled: true)
        #expect(choice == .join(whole))
    }

    // MARK: Making them

    private func make() throws -> (HostFinder, FakeBrowser, FakeScanner) {
        let (browser, scanner) = (FakeBrowser(), FakeScanner())
        let network = SystemNetwork(on: try EventLoop())
        let finder = HostFinder(browser, scanner, probesHosts: false, over: network)
        return (finder, browser, scanner)
    }

    private func announced() throws -> ServiceInstance {
        var txt = TXTRecord()
        txt.set("session", session)
        let address = ServiceInstance.Address(
            address: try #require(IPAddress("192.0.2.7")), interface: "eth0")
        return ServiceInstance(
            name: "Town Hall", type: DiscoveredHost.serviceType, domain: "local",
            hostName: "stage.local", port: 23_267, txt: txt, addresses: [address])
    }

    private func device(_ last: UInt8 = 1) throws -> BluetoothAddress {
        try #require(BluetoothAddress(bytes: [0, 0xAA, 1, 0, 0, last], kind: .public))
    }

    private func beacon(
        _ adapter: String, at address: String?, psm: UInt8? = nil, session: String? = nil
    ) throws -> HeardBeacon {
        let payload = BeaconPayload(
            address: address.flatMap { IPAddress($0) }, port: 23_267,
            sessionTag: BeaconPayload.sessionTag(of: session ?? self.session), channelPSM: psm)
        return HeardBeacon(
            id: adapter, device: try device(adapter == "hci0" ? 1 : 2), name: "Town Hal",
            payload: payload)
    }
}
