import BeamscribeIO
import TestSupport
import Testing

@testable import BeamscribeDiscovery

/// The advertiser with a stand-in for bluetoothd.
@Suite(Skip.withoutBluetooth, .serialized, .timeLimit(.minutes(3))) struct BlueZAdvertiserTests {
    private let payload = AdvertiserDriver.payload
    private let advertisement = AdvertiserDriver.advertisement

    @Test func beacon_isSent_byEveryAdapter() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 2)
        let driver = try await AdvertiserDriver.started(at: bluetooth)
        try await driver.wait(for: .advertising(adapters: ["hci0", "hci1"]))
        let sent = try await bluetooth.advertisements()
        #expect(sent.map(\.adapter) == ["hci0", "hci1"])
        for each in sent {
            #expect(each.type == "broadcast")
            #expect(each.name == "Town Hal")
            #expect(each.uuids == [BeaconAdvertisement.serviceUUID])
            #expect(each.manufacturerData == ["65535": "01c00002075ae3abcd"])
        }
        await driver.finish()
    }

    @Test func beacon_isConnectable_whenTheHostTakesChannels() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        let driver = try await AdvertiserDriver(at: bluetooth.busAddress)
        var payload = payload
        payload.channelPSM = 0x81
        await driver.advertise(BeaconAdvertisement(eventName: "", payload: payload))
        try await driver.wait(for: .advertising(adapters: ["hci0"]))
        let sent = try #require(await bluetooth.advertisements().first)
        #expect(sent.type == "peripheral")
        #expect(sent.name == "")
        #expect(sent.manufacturerData == ["65535": "81c00002075ae3abcd"])
        await driver.finish()
    }

    /// The controller ends a connectable advertisement when somebody connects by it.
    @Test(arguments: [true, false])
    func beacon_isSentAnew_whenSomebodyHasConnected(isKnown: Bool) async throws {
        let bluetooth = try await FakeBluetooth(adapters: 2)
        let driver = try await AdvertiserDriver(at: bluetooth.busAddress)
        var payload = payload
        payload.channelPSM = 0x81
        await driver.advertise(BeaconAdvertisement(eventName: "Hall", payload: payload))
        try await driver.wait(for: .advertising(adapters: ["hci0", "hci1"]))
        let before = try await bluetooth.advertisements().map(\.path)
        var guest = FakeReport("66:00:00:00:00:01")
        guest.isUnfiltered = true
        if isKnown { try await bluetooth.hear(guest) }
        guest.raw = #"{"Connected": true}"#
        try await bluetooth.hear(guest)
        try await eventually("another advertisement at hci0 and the same at hci1") {
            let now = try await bluetooth.advertisements()
            return now.map(\.adapter) == ["hci0", "hci1"] && now[0].path != before[0]
                && now[1].path == before[1]
        }
        #expect(await driver.troubles == [])
        await driver.finish()
    }

    @Test func newPayload_isSent_withoutRegisteringAnew() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        let driver = try await AdvertiserDriver.started(at: bluetooth)
        try await driver.wait(for: .advertising(adapters: ["hci0"]))
        let before = try #require(await bluetooth.advertisements().first)
        for last in UInt8(0)..<20 {
            var payload = payload
            payload.address = IPAddress(bytes: [192, 0, 2, last])
            await driver.advertise(BeaconAdvertisement(eventName: "Town Hall", payload: payload))
        }
        try await eventually("the last of the payloads to be sent") {
            try await bluetooth.advertisements().map(\.manufacturerData)
                == [["65535": "01c00002135ae3abcd"]]
        }
        // Each registration has an object of its own.
        #expect(try await bluetooth.advertisements().map(\.path) == [before.path])
        #expect(await driver.events == [.advertising(adapters: ["hci0"])])
        await driver.finish()
    }

    @Test func anotherKind_isRegisteredAnew() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        let driver = try await AdvertiserDriver.started(at: bluetooth)
        try await driver.wait(for: .advertising(adapters: ["hci0"]))
        var channel = payload
        channel.channelPSM = 0x80
        let others = [
            BeaconAdvertisement(eventName: "Town Hall", payload: nil),
            BeaconAdvertisement(eventName: "Kino", payload: payload),
            BeaconAdvertisement(eventName: "Kino", payload: channel),
        ]
        for other in others {
            await driver.advertise(other)
            try await eventually("\(other) to be sent, alone") {
                let sent = try await bluetooth.advertisements()
                return sent.map(\.name) == [other.name]
                    && sent.map { !$0.manufacturerData.isEmpty } == [other.payload != nil]
                    && sent.map { $0.type == "peripheral" } == [other.isConnectable]
            }
        }
        #expect(await driver.events == [.advertising(adapters: ["hci0"])])
        await driver.finish()
    }

    /// What is new while bluetoothd has not answered yet must not be lost.
    @Test func payload_isTheNewest_howeverSoonItChanges() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 2)
        let driver = try await AdvertiserDriver(at: bluetooth.busAddress)
        for last in UInt8(0)...50 {
            var payload = payload
            payload.address = IPAddress(bytes: [192, 0, 2, last])
            await driver.advertise(
                BeaconAdvertisement(eventName: last % 5 == 0 ? "Kino" : "Hall", payload: payload))
        }
        try await eventually("the newest payload, from both adapters") {
            try await bluetooth.advertisements().map { "\($0.name) \($0.manufacturerData)" }
                == Array(repeating: "Kino [\"65535\": \"01c00002325ae3abcd\"]", count: 2)
        }
        await driver.finish()
    }

    @Test func beacon_isTakenBack_byStop_andSentAgain() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 2)
        let driver = try await AdvertiserDriver.started(at: bluetooth)
        for _ in 0..<3 {
            try await driver.wait(for: .advertising(adapters: ["hci0", "hci1"]))
            await driver.stop()
            try await eventually("nothing to be sent") {
                try await bluetooth.advertisements().isEmpty
            }
            await driver.advertise(advertisement)
        }
        try await driver.wait(for: .advertising(adapters: ["hci0", "hci1"]))
        await driver.finish()
    }
}
