import BeamscribeIO
import Testing

@testable import BeamscribeCommand
@testable import BeamscribeDiscovery

@Suite struct HostWordsTests {
    @Test(arguments: [
        ("Town Hal", "Town Hal…"), ("Kino", "Kino"), ("Größer", "Größer…"), ("日本", "日本…"),
        ("", "(an event without a name)"),
    ])
    func heardName_hasASign_whereSomeMayBeMissing(name: String, shown: String) {
        #expect(HostWords.name(heard: name) == shown)
    }

    @Test func heardHost_isShownByWhatIsKnown() throws {
        let device = try #require(BluetoothAddress("00:AA:01:00:00:01", kind: .public))
        let payload = BeaconPayload(address: nil, port: 23_267, sessionTag: 1, channelPSM: 0x80)
        let host = try #require(
            DiscoveredHost(
                HeardBeacon(id: "a", device: device, name: "Town Hal", payload: payload)))
        #expect(HostWords.name(of: host) == "Town Hal…")
        #expect(
            HostWords.whereabouts(of: host) == "heard by Bluetooth, 00:AA:01:00:00:01")
    }

    @Test func heldEvent_isShownAsSuch() throws {
        var host = try host(held: 2)
        #expect(HostWords.name(of: host) == "Town Hall")
        #expect(
            HostWords.whereabouts(of: host)
                == "no host, held by 2 machines such as ann, 192.0.2.8:23267")
        (host.holdingMachines, host.security) = (1, "code")
        #expect(
            HostWords.whereabouts(of: host)
                == "no host, held by ann, 192.0.2.8:23267, asks for a code")
    }

    @Test func host_isShownWithThoseWhoHoldItsEvent() throws {
        var host = try host(held: 2)
        host.instanceName = "Town Hall"
        host.endpoints = [Endpoint(try #require(IPAddress("192.0.2.7")), port: 1)]
        #expect(
            HostWords.whereabouts(of: host) == "on ann, 192.0.2.7:1, and 2 machines that hold it")
        (host.holdingMachines, host.isHostSilent) = (1, true)
        #expect(
            HostWords.whereabouts(of: host)
                == "on ann, 192.0.2.7:1, which does not answer, but 1 machine that holds it")
    }

    /// An event that is only held, by so many machines.
    private func host(held machines: Int) throws -> DiscoveredHost {
        var txt = TXTRecord()
        txt.set("eid", "963435f3-1dc9-4def-bf99-59a085b55c03")
        txt.set("event", "Town Hall")
        txt.set("deviceName", "ann")
        let address = try #require(IPAddress("192.0.2.8"))
        let holders = (0..<machines).map { number in
            ServiceInstance(
                name: "\(number)", type: DiscoveredHost.holderServiceType, domain: "local",
                hostName: "\(number).local", port: 23_267, txt: txt,
                addresses: [.init(address: address, interface: "eth0")])
        }
        return try #require(HostTable.hosts(announced: [], held: holders, heard: []).first)
    }
}
