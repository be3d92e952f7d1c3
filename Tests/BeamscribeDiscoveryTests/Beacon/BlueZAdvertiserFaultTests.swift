import BeamscribeIO
import TestSupport
import Testing

@testable import BeamscribeDiscovery

/// What befalls an advertiser: adapters, bluetoothd and the bus that come and go.
@Suite(Skip.withoutBluetooth, .serialized, .timeLimit(.minutes(3))) struct BlueZAdvertiserFaultTests
{
    private let payload = AdvertiserDriver.payload
    private let advertisement = AdvertiserDriver.advertisement

    // MARK: Adapters

    @Test func power_isFollowed() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 2)
        try await bluetooth.power("hci0", on: false)
        try await bluetooth.power("hci1", on: false)
        let driver = try await AdvertiserDriver.started(at: bluetooth)
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
        let driver = try await AdvertiserDriver.started(at: bluetooth)
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
        let driver = try await AdvertiserDriver.started(at: bluetooth, timing)
        try await driver.wait(for: .unavailable(.noSlot(adapter: "hci0")))
        try await bluetooth.occupy("hci0", slots: 2)
        try await driver.wait(for: .advertising(adapters: ["hci0"]))
        await driver.finish()
    }

    @Test func oneAdapter_isEnough() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 2)
        try await bluetooth.occupy("hci0", slots: 3)
        let driver = try await AdvertiserDriver.started(at: bluetooth)
        try await driver.wait(for: .advertising(adapters: ["hci1"]))
        #expect(await driver.events == [.advertising(adapters: ["hci1"])])
        await driver.finish()
    }

    // MARK: bluetoothd and the bus

    @Test func denial_isTold_andTriedAgain() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        try await bluetooth.refuseEveryone()
        let driver = try await AdvertiserDriver.started(at: bluetooth)
        try await driver.wait(for: .unavailable(.denied))
        try await bluetooth.refuseEveryone(false)
        try await driver.wait(for: .advertising(adapters: ["hci0"]))
        await driver.finish()
    }

    @Test(arguments: [true, false])
    func daemon_isFollowed_whenItRestarts(inGoodOrder: Bool) async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        let driver = try await AdvertiserDriver.started(at: bluetooth)
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
        let driver = try await AdvertiserDriver.started(at: bluetooth)
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
        let driver = try await AdvertiserDriver.started(at: bluetooth, .impatient)
        try await driver.wait(for: .unavailable(.noBus))
        await bluetooth.recoverBus()
        try await driver.wait(for: .advertising(adapters: ["hci0"]), within: .seconds(30))
        await driver.finish()
    }

    @Test func silentDaemon_isTold_andUsedOnceItAnswers() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        await bluetooth.hang()
        let driver = try await AdvertiserDriver.started(at: bluetooth, .impatient)
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
        let driver = try await AdvertiserDriver.started(at: bluetooth, .impatient)
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
