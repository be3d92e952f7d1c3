import BeamscribeCore
import BeamscribeIO
import Testing

@testable import BeamscribeDiscovery

/// The table of devices and what is read of their properties, without a bus.
@Suite struct BeaconTableTests {
    private let silence = Duration.seconds(30)
    private static let bytes: [UInt8] = [1, 192, 0, 2, 7, 0x5A, 0xE3, 0xAB, 0xCD]

    private func properties(
        _ number: Int, bytes: [UInt8]? = bytes, name: String = "Hall", paired: Bool = false
    ) -> [String: BusValue] {
        let address = BluetoothAddress(
            bytes: [0x66, 0, 0, 0, UInt8(clamping: number >> 8), UInt8(clamping: number & 0xFF)],
            kind: .random)
        var properties: [String: BusValue] = [
            "Address": .string(address?.description ?? ""), "AddressType": .string("random"),
            "UUIDs": .strings(["0000180f-0000-1000-8000-00805f9b34fb", Self.uuid]),
            "Name": .string(name), "Paired": .boolean(paired),
        ]
        properties["ManufacturerData"] = bytes.map(Self.data)
        return properties
    }

    private static let uuid = BeaconAdvertisement.serviceUUID.uppercased()

    private static func data(_ bytes: [UInt8]) -> BusValue {
        .dictionary([.uint16(0xFFFF): .variant(.bytes(bytes))], key: "q", value: "v")
    }

    @Test func rememberedDevice_isBelieved_onceItIsHeard() {
        for sign in ["RSSI", "ManufacturerData"] {
            var table = BeaconTable(silence: silence)
            table.remember("/a", DeviceReport(properties(1)))
            table.change("/a", DeviceReport(["Alias": .string("x")]), at: .seconds(1))
            #expect(table.beacons.isEmpty)
            let news = [sign: sign == "RSSI" ? .int16(-40) : Self.data(Self.bytes)]
            table.change("/a", DeviceReport(news), at: .seconds(2))
            #expect(table.beacons.map(\.payload) == [BeaconPayload(bytes: Self.bytes)])
            // What bluetoothd says of all that it knows is no news.
            table.remember("/a", DeviceReport(properties(1, bytes: nil)))
            #expect(table.beacons.map(\.payload) == [BeaconPayload(bytes: Self.bytes)])
        }
    }

    /// bluetoothd tells of paired devices as new when an adapter is plugged in.
    @Test func pairedDevice_isNotBelieved_whenItAppearsWithoutASign() {
        var table = BeaconTable(silence: silence)
        table.appear(
            "/a", DeviceReport(properties(1, bytes: nil, paired: true)), at: .zero)
        #expect(table.beacons.isEmpty)
        table.appear("/b", DeviceReport(properties(2, bytes: nil)), at: .zero)
        table.appear("/c", DeviceReport(properties(3, paired: true)), at: .zero)
        #expect(table.beacons.map(\.id) == ["/b", "/c"])
    }

    /// BlueZ lists a connected device's services in place of what it advertises.
    @Test func connectedHost_isKnown_byWhereItTakesGuests() {
        let bytes = [0x81] + Self.bytes.dropFirst()
        var connected = properties(1, bytes: bytes)
        connected["UUIDs"] = .strings(["00001800-0000-1000-8000-00805f9b34fb"])
        #expect(!DeviceReport(connected).isBeacon)
        connected["ServicesResolved"] = .boolean(true)
        #expect(DeviceReport(connected).isBeacon)
        connected["ManufacturerData"] = Self.data(Self.bytes)
        #expect(!DeviceReport(connected).isBeacon, "That host takes no connections.")

        var table = BeaconTable(silence: silence)
        table.appear("/a", DeviceReport(properties(1, bytes: bytes)), at: .zero)
        table.appear("/b", DeviceReport(properties(2)), at: .zero)
        let services = DeviceReport(["UUIDs": connected["UUIDs"]!])
        for path in ["/a", "/b"] { table.change(path, services, at: .zero) }
        #expect(table.beacons.map(\.id) == ["/a"])
    }

    @Test func silence_endsABeacon_andASignBringsItBack() {
        var table = BeaconTable(silence: silence)
        table.appear("/a", DeviceReport(properties(1)), at: .seconds(10))
        #expect(table.nextSilence == .seconds(40))
        table.change("/a", DeviceReport(["RSSI": .int16(1)]), at: .seconds(20))
        #expect(table.nextSilence == .seconds(50))
        table.expire(at: .seconds(50) - .nanoseconds(1))
        #expect(table.beacons.count == 1)
        table.expire(at: .seconds(50))
        #expect(table.beacons.isEmpty)
        #expect(table.nextSilence == nil)
        table.change("/a", DeviceReport(["RSSI": .int16(1)]), at: .seconds(60))
        #expect(table.beacons.count == 1)
        table.change("/a", DeviceReport(["UUIDs": .strings([])]), at: .seconds(61))
        #expect(table.beacons.isEmpty, "It is no host any more.")
    }

    @Test func device_isShown_asTheAdapterThatHeardItLast() {
        var table = BeaconTable(silence: silence)
        table.appear("/hci1/a", DeviceReport(properties(1, name: "Old")), at: .seconds(1))
        table.appear("/hci0/a", DeviceReport(properties(1, name: "New")), at: .seconds(2))
        #expect(table.beacons.map(\.name) == ["New"])
        let news: [String: BusValue] = ["Name": .string("Newest"), "RSSI": .int16(1)]
        table.change("/hci1/a", DeviceReport(news), at: .seconds(3))
        #expect(table.beacons.map(\.name) == ["Newest"])
        #expect(table.beacons.map(\.id) == ["/hci0/a"])
        table.expire(at: .seconds(32))
        #expect(table.beacons.map(\.id) == ["/hci1/a"])
    }

    /// bluetoothd gives a broadcast a new address with each change.
    @Test func olderWords_ofTheSameSession_countNoMore() {
        var table = BeaconTable(silence: silence)
        let next: [UInt8] = [1, 192, 0, 2, 8, 0x5A, 0xE3, 0xAB, 0xCD]
        let other: [UInt8] = [1, 192, 0, 2, 9, 0x5A, 0xE3, 0xAB, 0xCE]
        table.appear("/a", DeviceReport(properties(1)), at: .seconds(1))
        table.appear("/b", DeviceReport(properties(2)), at: .seconds(2))
        table.appear("/c", DeviceReport(properties(3, bytes: other)), at: .seconds(2))
        #expect(table.beacons.map(\.id) == ["/a", "/b", "/c"])
        table.appear("/d", DeviceReport(properties(4, bytes: next)), at: .seconds(3))
        #expect(table.beacons.map(\.id) == ["/c", "/d"])
        // A last repeat of the old words does not bring them back; new words do.
        table.change("/a", DeviceReport(["RSSI": .int16(1)]), at: .seconds(4))
        #expect(table.beacons.map(\.id) == ["/c", "/d"])
        table.change("/a", DeviceReport(["ManufacturerData": Self.data(next)]), at: .seconds(5))
        #expect(table.beacons.map(\.id) == ["/a", "/c", "/d"])
        let back = DeviceReport(["ManufacturerData": Self.data(Self.bytes)])
        table.change("/a", back, at: .seconds(6))
        #expect(table.beacons.map(\.id) == ["/a", "/b", "/c"])
    }

    @Test func beaconsInTheAir_doNotGiveWay_butRememberedOnesDo() {
        var table = BeaconTable(silence: silence)
        for number in 0..<Limits.heardBeacons {
            table.remember("/\(number)", DeviceReport(properties(number)))
        }
        table.remember("/x", DeviceReport(properties(1_000)))
        #expect(!table.knows("/x"))
        for number in 1_000..<2_000 {
            table.appear("/\(number)", DeviceReport(properties(number)), at: .zero)
        }
        #expect(table.beacons.count == Limits.heardBeacons)
        #expect(table.beacons.allSatisfy { table.knows($0.id) })
        #expect(table.beacons.first?.id == "/1000")
    }

    /// Whatever comes in whatever order, a beacon is one that was heard within the silence.
    @Test func table_holdsItsPromises_forRandomEvents() {
        for seed in UInt64(0)..<200 {
            var generator = SeededGenerator(seed: seed)
            var table = BeaconTable(silence: silence)
            var heard: [String: Duration] = [:]
            var now = Duration.zero
            for _ in 0..<200 {
                now += .seconds(saturating: Double.random(in: 0...5, using: &generator))
                let number = Int.random(in: 0..<6, using: &generator)
                let path = "/\(number)"
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: table.remember(path, DeviceReport(properties(number)))
                case 1:
                    table.appear(path, DeviceReport(properties(number)), at: now)
                    heard[path] = now
                case 2, 3:
                    if table.knows(path) { heard[path] = now }
                    table.change(path, DeviceReport(["RSSI": .int16(-1)]), at: now)
                default:
                    table.remove(path)
                    heard[path] = nil
                }
                table.expire(at: now)
                let expected = heard.filter { $0.value + silence > now }.keys.sorted()
                #expect(table.beacons.map(\.id) == expected)
            }
        }
    }

    // MARK: Properties

    @Test func report_isWhatWasSaid() {
        let report = DeviceReport(properties(0x0102))
        #expect(report.device == BluetoothAddress("66:00:00:00:01:02", kind: .random))
        #expect(report.name == "Hall")
        #expect(report.isBeacon && report.hasUUID == true)
        #expect(report.payload == .some(BeaconPayload(bytes: Self.bytes)))
        #expect(report.isHeard && !report.isPaired)
        let nothing = DeviceReport([:])
        #expect(nothing.hasUUID == nil && nothing.payload == nil && nothing.name == nil)
        #expect(!nothing.isHeard)
    }

    @Test func payload_isNone_whereItsBytesAreOthers() {
        for count in 0...40 where count != 9 {
            let report = DeviceReport(
                properties(1, bytes: [UInt8](repeating: 1, count: count)))
            #expect(report.payload == .some(nil))
        }
        let others: [BusValue] = [
            .dictionary([.uint16(76): .variant(.bytes(Self.bytes))], key: "q", value: "v"),
            .dictionary([.uint16(0xFFFF): .variant(.string("x"))], key: "q", value: "v"),
            .dictionary([.string("65535"): .variant(.bytes(Self.bytes))], key: "s", value: "v"),
            .bytes(Self.bytes), .string("x"),
        ]
        for data in others {
            #expect(DeviceReport(["ManufacturerData": data]).payload == .some(nil))
        }
    }

    /// No value of whatever type in whatever property makes a beacon of a stranger.
    @Test func randomProperties_areHarmless() {
        var generator = SeededGenerator(seed: 7)
        let names = Array(properties(1).keys) + ["RSSI"]
        var table = BeaconTable(silence: silence)
        for number in 0..<5_000 {
            var random = properties(number % 1_000)
            for name in names where Bool.random(using: &generator) {
                let shape = BusShape.random(2, using: &generator)
                random[name] = shape.value(3, using: &generator).content
            }
            let report = DeviceReport(random)
            table.appear("/\(number % 300)", report, at: .zero)
            #expect((report.name?.utf8.count ?? 0) <= BeaconAdvertisement.nameBytes)
            #expect(!report.isBeacon || random["UUIDs"] == properties(1)["UUIDs"])
        }
        #expect(table.beacons.count <= Limits.heardBeacons && !table.beacons.isEmpty)
    }
}
