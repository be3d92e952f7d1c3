import BeamscribeIO
import TestSupport
import Testing

@testable import BeamscribeDiscovery

/// What befalls a scanner: adapters, bluetoothd and the bus that come and go.
@Suite(Skip.withoutBluetooth, .serialized, .timeLimit(.minutes(3))) struct BlueZScannerFaultTests {
    private func started(
        at bluetooth: FakeBluetooth, _ timing: BlueZTiming = .quick
    ) async throws -> ScannerDriver {
        let driver = try await ScannerDriver(at: bluetooth.busAddress, timing)
        await driver.start()
        return driver
    }

    private func beacon(_ address: String) -> FakeReport {
        var report = FakeReport(address)
        report.uuids = [BeaconAdvertisement.serviceUUID]
        return report
    }

    /// Waits until bluetoothd searches and a beacon is heard by it.
    private func checkThatItHears(
        _ driver: ScannerDriver, _ bluetooth: FakeBluetooth, by adapter: String = "hci0"
    ) async throws {
        try await eventually("a search at \(adapter)") {
            try await bluetooth.searches().contains(adapter)
        }
        let address = await driver.nextAddress()
        try await bluetooth.hear(beacon(address), by: adapter)
        try await driver.wait(forBeacons: "a beacon by \(adapter)") {
            $0.contains { $0.device.description == address }
        }
    }

    @Test func power_isFollowed() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 2)
        for adapter in ["hci0", "hci1"] { try await bluetooth.power(adapter, on: false) }
        let driver = try await started(at: bluetooth)
        try await driver.wait(for: .unavailable(.poweredOff(adapters: ["hci0", "hci1"])))
        try await driver.wait(for: .settled)
        for adapter in ["hci0", "hci1"] {
            await driver.forgetEvents()
            try await bluetooth.power(adapter, on: true)
            try await driver.wait(for: .available)
            try await checkThatItHears(driver, bluetooth, by: adapter)
            try await bluetooth.power(adapter, on: false)
            try await driver.wait(for: .unavailable(.poweredOff(adapters: ["hci0", "hci1"])))
        }
        #expect(!(await driver.events.contains(.settled)), "It is told once a start.")
        await driver.finish()
    }

    /// bluetoothd 5.66 ends everybody's search when one client leaves in a certain way.
    @Test func search_isBegunAnew_whenBluetoothdListensNoLonger() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        let driver = try await started(at: bluetooth)
        try await checkThatItHears(driver, bluetooth)
        for _ in 0..<3 {
            try await bluetooth.rest()
            try await eventually("the adapter to listen") {
                try await bluetooth.listening() == ["hci0"]
            }
            try await checkThatItHears(driver, bluetooth)
        }
        #expect(!(await driver.events.contains(.unavailable(.noAdapter))))
        await driver.finish()
    }

    /// A bluetoothd that was killed leaves a search behind, which runs out.
    @Test func search_isBegun_onceAnEarlierOneHasRunOut() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        try await bluetooth.refuseSearches(3)
        let driver = try await started(at: bluetooth)
        try await checkThatItHears(driver, bluetooth)
        let troubles = await driver.events.filter {
            if case .unavailable = $0 { true } else { false }
        }
        #expect(troubles == [])
        await driver.finish()
    }

    @Test func adapters_areFollowed_whenTheyArePluggedInAndOut() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 0)
        let driver = try await started(at: bluetooth)
        try await driver.wait(for: .unavailable(.noAdapter))
        try await driver.wait(for: .settled)
        for _ in 0..<3 {
            await driver.forgetEvents()
            try await bluetooth.addAdapter("hci0")
            try await driver.wait(for: .available)
            try await checkThatItHears(driver, bluetooth)
            try await bluetooth.removeAdapter("hci0")
            try await driver.wait(for: .unavailable(.noAdapter))
            try await driver.wait(forBeacons: "nothing", \.isEmpty)
        }
        await driver.finish()
    }

    @Test func denial_isTold_andTriedAgain() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        try await bluetooth.refuseEveryone()
        let driver = try await started(at: bluetooth)
        try await driver.wait(for: .unavailable(.denied))
        try await driver.wait(for: .settled)
        try await bluetooth.refuseEveryone(false)
        try await driver.wait(for: .available)
        try await checkThatItHears(driver, bluetooth)
        await driver.finish()
    }

    @Test(arguments: [true, false])
    func daemon_isFollowed_whenItRestarts(inGoodOrder: Bool) async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        let driver = try await started(at: bluetooth)
        try await checkThatItHears(driver, bluetooth)
        for _ in 0..<2 {
            await driver.forgetEvents()
            try await inGoodOrder ? bluetooth.stopDaemon() : bluetooth.killDaemon()
            try await driver.wait(for: .unavailable(.noDaemon))
            try await bluetooth.startDaemon()
            try await driver.wait(for: .available)
            try await checkThatItHears(driver, bluetooth)
        }
        await driver.finish()
    }

    @Test func bus_isFollowed_whenItRestarts() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        let driver = try await started(at: bluetooth)
        try await checkThatItHears(driver, bluetooth)
        try await bluetooth.stopBus()
        try await driver.wait(for: .unavailable(.noBus))
        try await bluetooth.startBus()
        try await driver.wait(for: .unavailable(.noDaemon), within: .seconds(20))
        try await bluetooth.startDaemon()
        try await driver.wait(for: .available)
        try await checkThatItHears(driver, bluetooth)
        await driver.finish()
    }

    @Test func bus_isAwaited_whereThereIsNone() async throws {
        let folder = try TemporaryFolder()
        let driver = try await ScannerDriver(at: "unix:path=\(folder.path(of: "bus"))")
        await driver.start()
        try await driver.wait(for: .settled)
        #expect(await driver.events == [.unavailable(.noBus), .settled])
        await driver.finish()
    }

    @Test func silentDaemon_isTold_andUsedOnceItAnswers() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        await bluetooth.hang()
        let driver = try await started(at: bluetooth, .impatient)
        try await driver.wait(for: .unavailable(.unanswered))
        try await driver.wait(for: .settled)
        await bluetooth.recover()
        try await driver.wait(for: .available)
        try await checkThatItHears(driver, bluetooth)
        await driver.finish()
    }

    /// Nobody who waits to be told that all were heard waits for a daemon that hangs.
    @Test func settling_doesNotWait_forADaemonThatHangs() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        await bluetooth.hang()
        var timing = BlueZTiming.quick
        timing.callLimit = .seconds(600)
        timing.settlingLimit = .milliseconds(200)
        let driver = try await started(at: bluetooth, timing)
        try await driver.wait(for: .settled)
        #expect(await driver.events == [.settled])
        await bluetooth.recover()
        await driver.finish()
    }

    @Test func scanner_canBeStopped_andStartedAgain() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 2)
        let driver = try await ScannerDriver(at: bluetooth.busAddress)
        for _ in 0..<3 {
            await driver.start()
            try await checkThatItHears(driver, bluetooth)
            try await driver.wait(for: .settled)
            await driver.stop()
            await driver.forgetEvents()
            try await eventually("no search") { try await bluetooth.searches().isEmpty }
        }
        #expect(await driver.events.isEmpty, "Who has stopped it is told nothing.")
        await driver.finish()
    }
}
