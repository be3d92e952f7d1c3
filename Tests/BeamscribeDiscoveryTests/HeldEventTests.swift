import BeamscribeCore
import BeamscribeIO
import Testing

@testable import BeamscribeDiscovery

/// Makes what is announced of one event, by its host and by others.
struct HeldEvent {
    var id = "963435f3-1dc9-4def-bf99-59a085b55c03"
    var name = "Town Hall"

    /// Another event of that name.
    static let other = HeldEvent(id: "0b5c2f6e-52a7-4d0c-9a55-6f1f5a3a7a11")

    /// - Parameter last: the last number of its address, and of its machine's name.
    func holder(
        _ last: Int, addresses: Int = 1, port: UInt16 = 23_267, _ more: [String: String] = [:]
    ) throws -> ServiceInstance {
        let txt = [
            "v": "1", "eid": id, "event": name, "deviceName": "laptop \(last)", "role": "peer",
            "sec": "tls",
        ].merging(more) { $1 }
        return ServiceInstance(
            name: "node \(last)", type: DiscoveredHost.holderServiceType, domain: "local",
            hostName: "laptop-\(last).local", port: port, txt: record(txt),
            addresses: try (0..<addresses).map {
                .init(
                    address: try #require(IPAddress("192.0.\(2 + $0).\(last)")), interface: "eth0")
            })
    }

    func host(_ instance: String? = nil, at endpoint: Endpoint? = nil) throws -> ServiceInstance {
        let address = try #require(endpoint?.address ?? IPAddress("192.0.2.200"))
        return ServiceInstance(
            name: instance ?? name, type: DiscoveredHost.serviceType, domain: "local",
            hostName: "stage.local", port: endpoint?.port ?? 23_267,
            txt: record(["event": name, "session": id]),
            addresses: [.init(address: address, interface: "lo")])
    }

    func beacon(named beginning: String) throws -> HeardBeacon {
        let device = BluetoothAddress(bytes: [0, 0xAA, 1, 0, 0, 1], kind: .public)
        return HeardBeacon(
            id: "hci0", device: try #require(device), name: beginning,
            payload: BeaconPayload(
                address: IPAddress("192.0.2.200"), port: 1,
                sessionTag: BeaconPayload.sessionTag(of: id)))
    }

    func found(_ holders: [ServiceInstance]) throws -> DiscoveredHost {
        try #require(HostTable.hosts(announced: [], held: holders, heard: []).first)
    }

    private func record(_ pairs: [String: String]) -> TXTRecord {
        var record = TXTRecord()
        for pair in pairs { record.set(pair.key, pair.value) }
        return record
    }
}

extension DiscoveredHost {
    fileprivate var held: [String] { holders.map(\.description) }
}

/// Who holds an event's log, in the list of the hosts.
@Suite struct HeldEventTests {
    private let event = HeldEvent()

    @Test func holder_belongsToTheHostOfItsSession_andToNoOther() throws {
        let holders = [try event.holder(1), try HeldEvent.other.holder(2)]
        let hosts = HostTable.hosts(announced: [try event.host()], held: holders, heard: [])
        #expect(hosts.map(\.held) == [["192.0.2.1:23267"], ["192.0.2.2:23267"]])
        #expect(hosts.map(\.isHeldOnly) == [false, true])
        #expect(hosts.map(\.ways) == [[.bonjour, .holder], [.holder]])
        #expect(hosts[0].endpoints.map(\.description) == ["192.0.2.200:23267"])
        #expect(hosts[0].fingerprint == nil && hosts[0].deviceName == "stage.local")
    }

    @Test func event_isThereOnce_howeverManyHoldIt() throws {
        var second = try event.holder(2, port: 7)
        second.hostName = "LAPTOP-1.local"
        let relay = try event.holder(3, ["role": "relay"])
        let host = try event.found([try event.holder(1, addresses: 2), second, relay])
        #expect(
            host.held == ["192.0.2.3:23267", "192.0.2.1:23267", "192.0.2.2:7", "192.0.3.1:23267"])
        #expect(host.holdingMachines == 2, "two of them are one machine")
        #expect(host.id == "held \(event.id) Town Hall" && host.session == event.id)
        #expect(host.eventName == "Town Hall" && host.deviceName == "laptop 1")
        #expect(host.endpoints.isEmpty && host.instanceName == nil && host.fingerprint == nil)
        #expect(host.isHeldOnly && host.ways == [.holder] && host.place == "192.0.2.3:23267")
    }

    @Test(arguments: ["eid", "event", "port", "addresses"])
    func announcement_thatLeadsNowhere_isPassedOver(lack: String) throws {
        var instance = try event.holder(1)
        switch lack {
        case "port": instance.port = 0
        case "addresses": instance.addresses = []
        default: instance.txt.set(lack, lack == "eid" ? "963435f3-1dc9" : "  ")
        }
        let hosts = HostTable.hosts(announced: [try event.host()], held: [instance], heard: [])
        #expect(hosts.map(\.held) == [[]])
    }

    @Test func words_areSafe_andTheIdIsThatOfTheWire() throws {
        let nasty = "a\u{1B}[2J\u{202E}" + String(repeating: "x", count: 300)
        var loud = try event.holder(1)
        let strings =
            ["eid=\(event.id.uppercased())"]
            + ["event", "deviceName", "sec"].map {
                "\($0)=\(nasty)"
            }
        loud.txt = TXTRecord(strings: strings.map { Array($0.utf8) })
        let host = try event.found([loud])
        #expect(host.session == event.id)
        for text in [host.id, host.eventName, host.deviceName ?? "", host.security] {
            #expect(!text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
        }
        #expect(host.eventName.utf8.count <= Limits.eventNameBytes)
    }

    @Test func holders_areBounded_andEachGetsItsTurn() throws {
        let host = try event.found(try (1...20).map { try event.holder($0, addresses: 6) })
        #expect(host.holders.count == 64)
        #expect(host.held[19] == "192.0.2.20:23267" && host.held[20] == "192.0.3.1:23267")
        let one = try event.found([try event.holder(1, addresses: 6)])
        #expect(one.holders.count == 4)
    }

    /// Anybody can announce a session, and anybody that he holds it.
    @Test func event_keepsItsName_whateverOthersCallIt() throws {
        let liar = try HeldEvent(id: event.id, name: "Nothing").host()
        let fake = try HeldEvent(id: event.id, name: "Void").holder(9)
        let holders = [fake, try event.holder(1)]
        let hosts = HostTable.hosts(announced: [liar], held: holders, heard: [])
        #expect(hosts.map(\.eventName) == ["Nothing", "Void", "Town Hall"])
        #expect(hosts.last?.held == ["192.0.2.1:23267"])
        let second = try event.host("Town Hall #2")
        let honest = HostTable.hosts(announced: [liar, second], held: holders, heard: [])
        #expect(honest.map(\.id) == ["Nothing", "Town Hall #2", "held \(event.id) Void"])
        #expect(honest.dropFirst().first?.held == ["192.0.2.9:23267", "192.0.2.1:23267"])
    }

    @Test func heardHost_hasTheHoldersOfItsTagAndName() throws {
        let holders = [try event.holder(1)]
        let hosts = HostTable.hosts(
            announced: [], held: holders, heard: [try event.beacon(named: "Town Hal")])
        #expect(hosts.map(\.held) == [["192.0.2.1:23267"]])
        #expect(hosts[0].endpoints.count == 1 && !hosts[0].isHeldOnly)
        #expect(hosts[0].ways == [.bluetooth, .holder] && hosts[0].session == nil)
        let strange = [
            try event.beacon(named: "Town Hil"), try HeldEvent.other.beacon(named: "Town Hal"),
        ]
        for beacon in strange {
            let hosts = HostTable.hosts(announced: [], held: holders, heard: [beacon])
            #expect(hosts.map(\.held) == [[], ["192.0.2.1:23267"]])
        }
    }

    /// Who is asked for a code that nobody has stays away.
    @Test func event_asksForACode_whereAllSaySo() throws {
        let asking = try event.holder(1, ["sec": "code"])
        #expect(try event.found([asking]).security == "code")
        #expect(try event.found([asking, try event.holder(2)]).security == "tls")
    }
}

/// Which event is joined where some are only held.
@Suite struct HeldEventChoiceTests {
    private let event = HeldEvent()

    private var held: DiscoveredHost { get throws { try event.found([try event.holder(1)]) } }
    private var heldToo: DiscoveredHost {
        get throws { try event.found([try HeldEvent.other.holder(2)]) }
    }
    private var host: DiscoveredHost {
        get throws { try #require(DiscoveredHost(try event.host())) }
    }

    private func decide(
        _ name: String?, _ hosts: [DiscoveredHost], isSettled: Bool = true,
        areHostsSettled: Bool? = nil, knowing: Bool = false
    ) -> HostChoice {
        var expectation = HostExpectation()
        if knowing {
            let key = Fingerprint(bytes: [UInt8](repeating: 0x11, count: 32))!
            expectation.known.remember(key, of: Introduction(event: "Town Hall"), at: 1)
        }
        return HostChoice.decide(
            name: name, among: hosts, isSettled: isSettled, areHostsSettled: areHostsSettled,
            expecting: expectation)
    }

    @Test(arguments: ["Town Hall", "town", nil])
    func host_isJoined_withoutAQuestion_whateverOthersHold(name: String?) throws {
        let (host, hosts) = (try host, [try heldToo, try host, try held])
        #expect(decide(name, hosts, isSettled: false, areHostsSettled: true) == .join(host))
        #expect(decide(name, hosts) == .join(host))
        #expect(decide("Town Hall", hosts, isSettled: false) == .join(host), "at once")
    }

    @Test(arguments: ["Town Hall", "town", nil])
    func heldEvent_isJoined_onceEverybodyWasHeard(name: String?) throws {
        let held = try held
        #expect(decide(name, [held], isSettled: false, areHostsSettled: true) == .wait)
        #expect(decide(name, [held]) == .join(held))
        #expect(decide(name, [held], knowing: true) == .join(held))
        #expect(decide("Cinema", [held]) == .wait)
    }

    /// Yesterday's and today's: the key is the same.
    @Test(arguments: [false, true])
    func reader_choosesAmongHeldEvents_ofOneName(knowing: Bool) throws {
        var both = [try held, try heldToo]
        for name in ["Town Hall", nil] {
            #expect(decide(name, both, knowing: knowing) == .choose(both))
        }
        both[0].reachability = .unreachable("refused")
        #expect(decide("Town Hall", both, knowing: knowing) == .join(both[1]))
    }

    @Test func silentHost_countsAsHeld_unlessItIsCalledByItsName() throws {
        var silent = try host
        (silent.holders, silent.isHostSilent) = (try held.holders, true)
        silent.reachability = .reachable
        let other = try makeHost("Cinema")
        #expect(decide(nil, [silent, other]) == .join(other))
        #expect(decide(nil, [silent]) == .join(silent))
        #expect(decide(nil, [silent], isSettled: false, areHostsSettled: true) == .wait)
        #expect(decide("Town Hall", [silent, try heldToo]) == .join(silent))
    }

    @Test func heldEvent_isNoBeaconsBeginning() throws {
        let short = HeldEvent(name: "Town Hal")
        let held = try short.found([try short.holder(1)])
        #expect(decide("Town Hall", [held]) == .wait)
    }
}
