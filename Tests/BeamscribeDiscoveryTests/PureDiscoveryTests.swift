import BeamscribeIO
import Testing

@testable import BeamscribeDiscovery

@Suite struct TXTRecordTests {
    @Test func record_isTheSame_afterTheWire() {
        var record = TXTRecord()
        record.set("v", "1")
        record.set("event", "Grüße = 字幕")
        let read = TXTRecord(strings: record.strings)
        #expect(read["v"] == "1")
        #expect(read["EVENT"] == "Grüße = 字幕")
        #expect(read == record)
    }

    @Test func value_isCut_betweenCharacters() {
        var record = TXTRecord()
        record.set("event", String(repeating: "字", count: 200))
        #expect(record.strings[0].count <= 255)
        #expect(record["event"]?.allSatisfy { $0 == "字" } == true)
    }

    /// U+212A, the sign for kelvin, is "k" in lower case.
    @Test func keys_areTheSameByAsciiAlone() {
        let record = TXTRecord(strings: [Array("\u{212A}ey=1".utf8), Array("KEY=2".utf8)])
        #expect(record["key"] == "2")
    }

    @Test func record_readsAnything() {
        let strings: [[UInt8]] = [
            [], Array("=x".utf8), Array("flag".utf8), Array("a=1".utf8), Array("A=2".utf8),
            Array("b=".utf8), Array("c=x=y".utf8), [0xFF, 0x3D, 0xFE],
        ]
        let record = TXTRecord(strings: strings)
        #expect(record["a"] == "1")
        #expect(record["b"] == "")
        #expect(record["c"] == "x=y")
        #expect(record["flag"] == nil)
        #expect(record.entries.contains { $0.key == "flag" && $0.value == nil })
    }
}

@Suite struct InstanceNameTests {
    @Test(arguments: [
        ("Town Hall", "Town Hall"), ("a\nb\u{1B}c", "a b␛c"), ("", "beamscribe"),
        ("\u{7}", "␇"), ("   ", "beamscribe"),
    ])
    func name_isFitForDNSSD(event: String, name: String) {
        #expect(InstanceName.from(event) == name)
    }

    @Test func name_isCutAtACharacter_to63Bytes() {
        let name = InstanceName.from(String(repeating: "👩‍👩‍👧", count: 10))
        #expect(name.utf8.count <= 63)
        #expect(name.allSatisfy { $0 == "👩‍👩‍👧" })
        #expect(!name.isEmpty)
    }
}

@Suite struct ServiceTableTests {
    private let key = ServiceTable.Key(name: "Town Hall", domain: "local")
    private let four = ServiceTable.Path(interface: 2, isIPv6: false)
    private let six = ServiceTable.Path(interface: 2, isIPv6: true)

    @Test func service_isThereOnce_howeverManyPathsItHas() throws {
        var table = ServiceTable(type: "_x._tcp")
        for path in [four, six] { _ = table.appeared(key, on: path) }
        #expect(table.instances.isEmpty)
        table.resolved(key, on: four, try resolution("192.0.2.1"))
        table.resolved(key, on: six, try resolution("2001:db8::1"))
        #expect(table.instances.count == 1)
        #expect(table.instances[0].addresses.count == 2)
        table.vanished(key, on: four)
        #expect(table.instances.count == 1)
        table.vanished(key, on: six)
        #expect(table.instances.isEmpty)
    }

    @Test func service_isNotListed_onceItNoLongerResolves() throws {
        var table = ServiceTable(type: "_x._tcp")
        _ = table.appeared(key, on: four)
        table.resolved(key, on: four, try resolution("192.0.2.1"))
        table.resolved(key, on: four, nil)
        #expect(table.instances.isEmpty)
    }

    @Test func resolution_isPassedOver_afterThePathWent() throws {
        var table = ServiceTable(type: "_x._tcp")
        _ = table.appeared(key, on: four)
        table.vanished(key, on: four)
        table.resolved(key, on: four, try resolution("192.0.2.1"))
        #expect(table.instances.isEmpty)
    }

    @Test func table_isBounded() {
        var table = ServiceTable(type: "_x._tcp")
        let taken = (0..<1_000).filter {
            table.appeared(ServiceTable.Key(name: "\($0)", domain: "local"), on: four)
        }
        #expect(taken.count == 256)
    }

    /// "Town Hall" is not told before "Town Hall #2" is, or turns out to lead nowhere or to have gone.
    @Test(arguments: [0, 1, 2])
    func namesake_isAwaited(fate: Int) throws {
        var table = ServiceTable(type: "_x._tcp")
        let second = ServiceTable.Key(name: "Town Hall #2", domain: "local")
        let other = ServiceTable.Key(name: "Room #2b", domain: "local")
        for key in [key, second, other] { _ = table.appeared(key, on: four) }
        table.resolved(key, on: four, try resolution("192.0.2.1"))
        table.resolved(other, on: four, try resolution("192.0.2.3"))
        #expect(table.instances.map(\.name) == ["Town Hall", "Room #2b"])
        #expect(table.instancesWithoutNamesakes.map(\.name) == ["Room #2b"])
        switch fate {
        case 0: table.resolved(second, on: four, try resolution("192.0.2.2"))
        case 1: table.resolved(second, on: four, nil)
        default: table.vanished(second, on: four)
        }
        #expect(table.instancesWithoutNamesakes == table.instances)
        #expect(table.instances.count == (fate == 0 ? 3 : 2))
    }

    private func resolution(_ address: String) throws -> ServiceTable.Resolution {
        ServiceTable.Resolution(
            hostName: "stage.local", port: 23_267, txt: TXTRecord(),
            address: .init(address: try #require(IPAddress(address)), interface: "eth0"))
    }
}

@Suite struct EndpointOrderTests {
    @Test func addresses_areTriedInAGoodOrder_withoutBridges() throws {
        let addresses = try [
            ("fe80::7", "eth0"), ("172.17.0.1", "docker0"), ("2001:db8::7", "eth0"),
            ("192.0.2.7", "eth0"), ("127.0.0.1", "lo"), ("192.0.2.7", "wlan0"),
        ].map {
            ServiceInstance.Address(address: try #require(IPAddress($0.0)), interface: $0.1)
        }
        let order = EndpointOrder.sorted(addresses, port: 1).map(\.address.description)
        #expect(order == ["127.0.0.1", "192.0.2.7", "2001:db8::7", "fe80::7"])
    }

    @Test func bridge_isTried_whenThereIsNothingElse() throws {
        let only = ServiceInstance.Address(
            address: try #require(IPAddress("172.17.0.2")), interface: "docker0")
        #expect(EndpointOrder.sorted([only], port: 1).count == 1)
    }
}

@Suite struct HostChoiceTests {
    @Test func onlyHost_isTaken_onceEverybodyWasHeard() throws {
        let host = try makeHost("Town Hall")
        #expect(HostChoice.decide(name: nil, among: [host], isSettled: false) == .wait)
        #expect(HostChoice.decide(name: nil, among: [host], isSettled: true) == .join(host))
        #expect(HostChoice.decide(name: nil, among: [], isSettled: true) == .wait)
    }

    @Test func exactName_isTaken_atOnce() throws {
        let hosts = try [makeHost("Town Hall"), makeHost("Town Hall 2")]
        #expect(
            HostChoice.decide(name: "Town Hall", among: hosts, isSettled: false)
                == .join(hosts[0]))
    }

    @Test func beginning_isTaken_ifOnlyOneHasIt() throws {
        let hosts = try [makeHost("Town Hall"), makeHost("Lecture"), makeHost("Lesson")]
        let decide = { HostChoice.decide(name: $0, among: hosts, isSettled: $1) }
        #expect(decide("town", true) == .join(hosts[0]))
        #expect(decide("town", false) == .wait)
        #expect(decide("le", true) == .choose([hosts[1], hosts[2]]))
        #expect(decide("x", true) == .wait)
    }

    @Test func severalHosts_areTheUsersChoice() throws {
        var gone = try makeHost("Gone")
        gone.reachability = .unreachable("no answer")
        let hosts = try [makeHost("A"), makeHost("B"), gone]
        #expect(
            HostChoice.decide(name: nil, among: hosts, isSettled: true)
                == .choose([hosts[0], hosts[1]]))
        #expect(
            HostChoice.decide(name: nil, among: [hosts[0], gone], isSettled: true)
                == .join(hosts[0]))
    }
}

@Suite struct MulticastQuestionTests {
    @Test func packet_isAPlainQuestion_forTheTypesPointers() {
        let packet = MulticastQuestion.packet(type: "_beamscribe._tcp")
        let name = "\u{B}_beamscribe\u{4}_tcp\u{5}local\u{0}"
        #expect(packet == [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + Array(name.utf8) + [0, 12, 0, 1])
    }
}

/// A host that announces an event.
func makeHost(_ name: String) throws -> DiscoveredHost {
    let address = ServiceInstance.Address(
        address: try #require(IPAddress("192.0.2.7")), interface: "eth0")
    return try #require(
        DiscoveredHost(
            ServiceInstance(
                name: name, type: DiscoveredHost.serviceType, domain: "local",
                hostName: "stage.local", port: 23_267, txt: TXTRecord(), addresses: [address])))
}
