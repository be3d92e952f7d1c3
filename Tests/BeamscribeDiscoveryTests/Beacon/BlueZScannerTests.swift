import BeamscribeCore
import BeamscribeIO
import TestSupport
import Testing

@testable import BeamscribeDiscovery

/// The scanner with a stand-in for bluetoothd, and what befalls that.
@Suite(Skip.withoutBluetooth, .serialized, .timeLimit(.minutes(3))) struct BlueZScannerTests {
    private let payload = BeaconPayload(
        address: IPAddress("192.0.2.7"), port: 23_267, sessionTag: 0xABCD)

    private func started(
        at bluetooth: FakeBluetooth, _ timing: BlueZTiming = .quick
    ) async throws -> ScannerDriver {
        let driver = try await ScannerDriver(at: bluetooth.busAddress, timing)
        await driver.start()
        return driver
    }

    /// Waits until bluetoothd searches at `adapters`.
    private func waitForSearch(
        of bluetooth: FakeBluetooth, at adapters: [String] = ["hci0"]
    ) async throws {
        try await eventually("a search at \(adapters)") {
            try await bluetooth.searches() == adapters
        }
    }

    private func beacon(_ address: String, name: String = "Town Hal") -> FakeReport {
        var report = FakeReport(address)
        report.name = name
        report.uuids = [BeaconAdvertisement.serviceUUID]
        report.manufacturerData = ["65535": "01c00002075ae3abcd"]
        return report
    }

    // MARK: Beacons

    @Test func beacon_isHeard_asItWasSent() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 2)
        let host = try await AdvertiserDriver(at: bluetooth.busAddress)
        await host.advertise(BeaconAdvertisement(eventName: "Town Hall", payload: payload))
        let driver = try await started(at: bluetooth)
        // The host sends by both adapters, each with an address of its own.
        try await driver.wait(forBeacons: "the beacon of both adapters") { $0.count == 2 }
        for beacon in await driver.beacons {
            #expect(beacon.name == "Town Hal")
            #expect(beacon.payload == payload)
            #expect(beacon.device.kind == .random)
        }
        try await driver.wait(for: .settled)
        await driver.finish()
        await host.finish()
    }

    @Test func newPayload_isHeard() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        let driver = try await started(at: bluetooth)
        try await waitForSearch(of: bluetooth)
        var report = beacon("66:00:00:00:00:01")
        try await bluetooth.hear(report)
        try await driver.wait(forBeacons: "the first payload") { [payload] in
            $0.map(\.payload) == [payload]
        }
        report.manufacturerData = ["65535": "81000000000007abcd", "76": "0215"]
        report.name = "Kino"
        try await bluetooth.hear(report)
        try await driver.wait(forBeacons: "the second payload") {
            $0.map(\.payload?.channelPSM) == [0x81] && $0.map(\.name) == ["Kino"]
        }
        let device = await driver.beacons.first?.device
        #expect(device == BluetoothAddress("66:00:00:00:00:01", kind: .random))
        await driver.finish()
    }

    /// A broadcast comes from another address with each change; the old one must not linger.
    @Test func changedBroadcast_isOneBeacon() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 2)
        let host = try await AdvertiserDriver(at: bluetooth.busAddress)
        await host.advertise(BeaconAdvertisement(eventName: "Town Hall", payload: payload))
        let driver = try await started(at: bluetooth)
        try await driver.wait(forBeacons: "the beacon of both adapters") { $0.count == 2 }
        var next = payload
        next.address = IPAddress("192.0.2.8")
        await host.advertise(BeaconAdvertisement(eventName: "Town Hall", payload: next))
        try await driver.wait(forBeacons: "the new words alone") { [next] in
            $0.map(\.payload) == [next, next]
        }
        await driver.finish()
        await host.finish()
    }

    @Test func beacon_withoutPayload_isAHostToo() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        let driver = try await started(at: bluetooth)
        try await waitForSearch(of: bluetooth)
        var report = beacon("66:00:00:00:00:01", name: "")
        report.manufacturerData = [:]
        try await bluetooth.hear(report)
        try await driver.wait(forBeacons: "a beacon without a payload") {
            $0.count == 1 && $0[0].payload == nil && $0[0].name == ""
        }
        await driver.finish()
    }

    @Test func device_isOneBeacon_howeverManyAdaptersHearIt() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 2)
        let driver = try await started(at: bluetooth)
        try await waitForSearch(of: bluetooth, at: ["hci0", "hci1"])
        let report = beacon("66:00:00:00:00:01")
        for adapter in ["hci1", "hci0", "hci1"] { try await bluetooth.hear(report, by: adapter) }
        try await bluetooth.hear(beacon("66:00:00:00:00:02"), by: "hci1")
        try await driver.wait(forBeacons: "two devices") { $0.count == 2 }
        let paths = await driver.beacons.map(\.id)
        #expect(
            paths == [
                "/org/bluez/hci0/dev_66_00_00_00_00_01", "/org/bluez/hci1/dev_66_00_00_00_00_02",
            ])
        await driver.finish()
    }

    @Test func beacon_isDropped_whenItsDeviceIsForgotten() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        let driver = try await started(at: bluetooth)
        try await waitForSearch(of: bluetooth)
        try await bluetooth.hear(beacon("66:00:00:00:00:01"))
        try await driver.wait(forBeacons: "the beacon") { $0.count == 1 }
        try await bluetooth.forget("66:00:00:00:00:01")
        try await driver.wait(forBeacons: "its end", \.isEmpty)
        await driver.finish()
    }

    @Test func beacon_isDropped_whenItIsSilent_andComesBack() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        var timing = BlueZTiming.quick
        timing.silence = .milliseconds(300)
        let driver = try await started(at: bluetooth, timing)
        try await waitForSearch(of: bluetooth)
        for round in 1...2 {
            // The second time bluetoothd knows the device and tells of the signal only.
            try await bluetooth.hear(beacon("66:00:00:00:00:01"))
            let counts = Array(repeating: [1, 0], count: round).flatMap(\.self)
            try await eventually("the beacon and its end, for the \(round). time") {
                await driver.beaconCounts == counts
            }
        }
        await driver.finish()
    }

    @Test func beacon_stays_whileItIsRepeated() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 2, interval: .milliseconds(50))
        try await bluetooth.power("hci1", on: false)
        let host = try await AdvertiserDriver(at: bluetooth.busAddress)
        await host.advertise(BeaconAdvertisement(eventName: "Town Hall", payload: payload))
        try await host.wait(for: .advertising(adapters: ["hci0"]))
        try await bluetooth.power("hci1", on: true)
        try await host.wait(for: .advertising(adapters: ["hci0", "hci1"]))
        var timing = BlueZTiming.quick
        timing.silence = .seconds(2)
        let driver = try await started(at: bluetooth, timing)
        try await driver.wait(forBeacons: "both") { $0.count == 2 }
        try await bluetooth.power("hci0", on: false)
        // What hci0 sent goes silent; hci1's is heard by nobody then.
        try await driver.wait(forBeacons: "silence", \.isEmpty)
        // Each comes once and goes once; their hundred repeats are not told.
        #expect(await driver.beaconCounts.count <= 4)
        await driver.finish()
        await host.finish()
    }

    // MARK: What is not to be believed

    @Test func rememberedDevice_isNotBelieved_untilItIsHeard() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        let first = try await started(at: bluetooth)
        try await waitForSearch(of: bluetooth)
        try await bluetooth.hear(beacon("66:00:00:00:00:01"))
        try await first.wait(forBeacons: "the beacon") { $0.count == 1 }
        await first.finish()
        let second = try await started(at: bluetooth)
        try await waitForSearch(of: bluetooth)
        try await second.wait(for: .settled)
        #expect(await second.events == [.settled], "bluetoothd remembers a host that may be gone.")
        try await bluetooth.hear(beacon("66:00:00:00:00:01"))
        try await second.wait(forBeacons: "the beacon again") { [payload] in
            $0.map(\.payload) == [payload]
        }
        await second.finish()
    }

    /// A laptop that was known before it became a host.
    @Test func knownDevice_thatBecomesAHost_isHeard() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        let driver = try await started(at: bluetooth)
        try await waitForSearch(of: bluetooth)
        var report = FakeReport("66:00:00:00:00:01")
        report.isUnfiltered = true
        try await bluetooth.hear(report)
        try await bluetooth.hear(beacon("66:00:00:00:00:01"))
        try await driver.wait(forBeacons: "the new host") { [payload] in
            $0.map(\.payload) == [payload]
        }
        #expect(await driver.beacons.map(\.device.description) == ["66:00:00:00:00:01"])
        await driver.finish()
    }

    @Test func strangers_areIgnored_byTheHundred() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        let driver = try await started(at: bluetooth)
        try await waitForSearch(of: bluetooth)
        for number in 0..<300 {
            let digits = String(number + 0x1000, radix: 16, uppercase: true)
            var report = FakeReport("66:00:00:00:\(digits.prefix(2)):\(digits.suffix(2))")
            report.isUnfiltered = true
            report.name = "Stranger \(number)"
            report.uuids = ["180f", "6265616d-7363-7269-6265-000000000002"]
            report.manufacturerData = ["76": "0215", "65535": "01c00002075ae3abcd"]
            try await bluetooth.hear(report)
        }
        try await bluetooth.hear(beacon("66:00:00:00:00:01"))
        try await driver.wait(forBeacons: "the one host among them") { $0.count == 1 }
        #expect(await driver.beacons.map(\.name) == ["Town Hal"])
        await driver.finish()
    }

    @Test func beacons_areLimited() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        let driver = try await started(at: bluetooth)
        try await waitForSearch(of: bluetooth)
        for number in 0..<Limits.heardBeacons + 20 {
            let digits = String(number + 0x1000, radix: 16, uppercase: true)
            try await bluetooth.hear(
                beacon("66:00:00:00:\(digits.prefix(2)):\(digits.suffix(2))"))
        }
        try await driver.wait(forBeacons: "all that are kept") { $0.count == Limits.heardBeacons }
        try await bluetooth.forget("66:00:00:00:10:00")
        try await bluetooth.hear(beacon("66:00:00:00:00:01", name: "Last"))
        try await driver.wait(forBeacons: "the last") { $0.contains { $0.name == "Last" } }
        #expect(await driver.beacons.count == Limits.heardBeacons)
        await driver.finish()
    }

    @Test(arguments: [
        #"{"UUIDs": 5}"#, #"{"UUIDs": "6265616d-7363-7269-6265-000000000001"}"#,
        #"{"UUIDs": [1, 2]}"#, #"{"Address": 7}"#, #"{"Address": "66:00:00:00:00"}"#,
        #"{"Address": "../../etc"}"#, #"{"AddressType": "strange"}"#, #"{"AddressType": false}"#,
    ])
    func malformedDevice_isIgnored(raw: String) async throws {
        try await check(raw) { [payload] beacons in
            beacons.map(\.payload) == [payload] && beacons.map(\.name) == ["Good"]
        }
    }

    @Test(arguments: [
        #"{"ManufacturerData": "text"}"#, #"{"ManufacturerData": 9}"#,
        #"{"ManufacturerData": {"65535": "01c00002075ae3abcd"}}"#, #"{"ManufacturerData": [[1]]}"#,
    ])
    func malformedPayload_isNone(raw: String) async throws {
        try await check(raw) { beacons in
            beacons.count == 2 && beacons.contains { $0.name == "Bad" && $0.payload == nil }
        }
    }

    @Test(arguments: [
        #"{"Name": 9}"#, #"{"Name": ["x"]}"#, #"{"Name": "\u001b[2J\n\u202e"}"#,
    ])
    func malformedName_isHarmless(raw: String) async throws {
        try await check(raw) { beacons in
            beacons.count == 2
                && beacons.allSatisfy {
                    ["Good", ""].contains($0.name)
                        || $0.name.hasPrefix("␛[2J") && SafeText.isSafe($0.name)
                }
        }
    }

    /// Lets a good beacon be heard after a bad one, and judges what is told of both.
    private func check(
        _ raw: String, _ condition: @escaping @Sendable ([HeardBeacon]) -> Bool
    ) async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        let driver = try await started(at: bluetooth)
        try await waitForSearch(of: bluetooth)
        var bad = beacon("66:00:00:00:00:01", name: "Bad")
        bad.raw = raw
        try await bluetooth.hear(bad)
        try await bluetooth.hear(bad)
        try await bluetooth.hear(beacon("66:00:00:00:00:02", name: "Good"))
        try await driver.wait(forBeacons: "the good one, and of \(raw) what is right", condition)
        await driver.finish()
    }
}
