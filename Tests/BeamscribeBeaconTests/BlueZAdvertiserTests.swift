import BeamscribeIO
import TestSupport
import Testing

@testable import BeamscribeBeacon

/// The advertiser with a stand-in for bluetoothd, and what befalls that.
@Suite(Skip.withoutBluetooth, .serialized, .timeLimit(.minutes(3))) struct BlueZAdvertiserTests {
    private let payload = BeaconPayload(
        address: IPAddress("192.0.2.7"), port: 23_267, sessionTag: 0xABCD)
    private var advertisement: BeaconAdvertisement {
        BeaconAdvertisement(eventName: "Town Hall", payload: payload)
    }

    private func started(
        at bluetooth: FakeBluetooth, _ timing: BlueZTiming = .quick
    ) async throws -> AdvertiserDriver {
        let driver = try await AdvertiserDriver(at: bluetooth.busAddress, timing)
        await driver.advertise(advertisement)
        return driver
    }

    @Test func beacon_isSent_byEveryAdapter() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 2)
        let driver = try await started(at: bluetooth)
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
        let troubles = await driver.events.filter {
            if case .unavailable = $0 { true } else { false }
        }
        #expect(troubles == [])
        await driver.finish()
    }

    @Test func newPayload_isSent_withoutRegisteringAnew() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        let driver = try await started(at: bluetooth)
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
        let driver = try await started(at: bluetooth)
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
        let driver = try await started(at: bluetooth)
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

    // MARK: Adapters

    @Test func power_isFollowed() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 2)
        try await bluetooth.power("hci0", on: false)
        try await bluetooth.power("hci1", on: false)
        let driver = try await started(at: bluetooth)
        try await driver.wait(for: .unavailable(.poweredOff(adapters: ["hci0", "hci1"])))
        try await bluetooth.power("hci1", on: true)
        try await driver.wait(for: .advertising(adapters: ["hci1"]))
        try await bluetooth.power("hci0", on: true)
        try await driver.wait(for: .advertising(adapters: ["hci0", "hci1"]))
        try await bluetooth.power("hci1", on: false)
        try await driver.wait(for: .advertising(adapters: ["hci0"]))
        try await eventually("what hci1 sent to be taken back") {
            try await bluetooth.advertisements().map(\.adapter) == ["hci0"]
        }
        await driver.finish()
    }

    @Test func adapters_areFollowed_whenTheyArePluggedInAndOut() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 0)
        let driver = try await started(at: bluetooth)
        try await driver.wait(for: .unavailable(.noAdapter))
        for _ in 0..<3 {
            try await bluetooth.addAdapter("hci0")
            try await driver.wait(for: .advertising(adapters: ["hci0"]))
            try await bluetooth.removeAdapter("hci0")
            try await driver.wait(for: .unavailable(.noAdapter))
        }
        let expected: [BeaconAdvertiserEvent] =
            [.unavailable(.noAdapter)]
            + (0..<3).flatMap { _ in
                [BeaconAdvertiserEvent.advertising(adapters: ["hci0"]), .unavailable(.noAdapter)]
            }
        #expect(await driver.events == expected, "Each is told once.")
        await driver.finish()
    }

    @Test func slot_isTaken_whenItGetsFree() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        try await bluetooth.occupy("hci0", slots: 3)
        var timing = BlueZTiming.quick
        // Long enough that only the signal can have been the reason.
        timing.retryInterval = .seconds(600)
        let driver = try await started(at: bluetooth, timing)
        try await driver.wait(for: .unavailable(.noSlot(adapter: "hci0")))
        try await bluetooth.occupy("hci0", slots: 2)
        try await driver.wait(for: .advertising(adapters: ["hci0"]))
        await driver.finish()
    }

    @Test func oneAdapter_isEnough() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 2)
        try await bluetooth.occupy("hci0", slots: 3)
        let driver = try await started(at: bluetooth)
        try await driver.wait(for: .advertising(adapters: ["hci1"]))
        #expect(await driver.events == [.advertising(adapters: ["hci1"])])
        await driver.finish()
    }

    // MARK: bluetoothd and the bus

    @Test func denial_isTold_andTriedAgain() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        try await bluetooth.refuseEveryone()
        let driver = try await started(at: bluetooth)
        try await driver.wait(for: .unavailable(.denied))
        try await bluetooth.refuseEveryone(false)
        try await driver.wait(for: .advertising(adapters: ["hci0"]))
        await driver.finish()
    }

    @Test(arguments: [true, false])
    func daemon_isFollowed_whenItRestarts(inGoodOrder: Bool) async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        let driver = try await started(at: bluetooth)
        try await driver.wait(for: .advertising(adapters: ["hci0"]))
        for _ in 0..<2 {
            try await inGoodOrder ? bluetooth.stopDaemon() : bluetooth.killDaemon()
            try await driver.wait(for: .unavailable(.noDaemon))
            try await bluetooth.startDaemon()
            try await driver.wait(for: .advertising(adapters: ["hci0"]))
            #expect(try await bluetooth.advertisements().map(\.name) == ["Town Hal"])
        }
        #expect(await driver.events.count == 5, "Each is told once.")
        await driver.finish()
    }

    @Test func bus_isFollowed_whenItRestarts() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        let driver = try await started(at: bluetooth)
        try await driver.wait(for: .advertising(adapters: ["hci0"]))
        try await bluetooth.stopBus()
        try await driver.wait(for: .unavailable(.noBus))
        try await bluetooth.startBus()
        try await driver.wait(for: .unavailable(.noDaemon), within: .seconds(20))
        try await bluetooth.startDaemon()
        try await driver.wait(for: .advertising(adapters: ["hci0"]))
        await driver.finish()
    }

    @Test func bus_isAwaited_whereThereIsNone() async throws {
        let folder = try TemporaryFolder()
        let driver = try await AdvertiserDriver(at: "unix:path=\(folder.path(of: "bus"))")
        await driver.advertise(advertisement)
        try await driver.wait(for: .unavailable(.noBus))
        await driver.finish()
    }

    @Test func silentBus_isTold_andUsedOnceItAnswers() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        await bluetooth.hangBus()
        let driver = try await started(at: bluetooth, .impatient)
        try await driver.wait(for: .unavailable(.noBus))
        await bluetooth.recoverBus()
        try await driver.wait(for: .advertising(adapters: ["hci0"]), within: .seconds(30))
        await driver.finish()
    }

    @Test func silentDaemon_isTold_andUsedOnceItAnswers() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        await bluetooth.hang()
        let driver = try await started(at: bluetooth, .impatient)
        try await driver.wait(for: .unavailable(.unanswered))
        await bluetooth.recover()
        try await driver.wait(for: .advertising(adapters: ["hci0"]))
        try await eventually("one advertisement to be left") {
            try await bluetooth.advertisements().count == 1
        }
        await driver.finish()
    }

    /// The answer that comes too late must not leave a second advertisement in the air.
    @Test func registration_isOne_whenTheDaemonWasSlow() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        let driver = try await started(at: bluetooth, .impatient)
        try await driver.wait(for: .advertising(adapters: ["hci0"]))
        await bluetooth.hang()
        await driver.advertise(BeaconAdvertisement(eventName: "Kino", payload: payload))
        try await driver.wait(for: .unavailable(.unanswered))
        await bluetooth.recover()
        try await driver.wait(for: .advertising(adapters: ["hci0"]))
        try await eventually("one advertisement to be left") {
            try await bluetooth.advertisements().map(\.name) == ["Kino"]
        }
        await driver.finish()
    }
}
