import BeamscribeIO
import TestSupport

@testable import BeamscribeDiscovery

/// An advertiser on a loop of its own, with all that it has told.
actor AdvertiserDriver {
    private(set) var events: [BeaconAdvertiserEvent] = []
    private nonisolated let thread: LoopThread
    private var advertiser: BlueZAdvertiser?
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(at busAddress: String, _ timing: BlueZTiming = .quick) async throws {
        thread = try LoopThread()
        prepare(busAddress, timing)
    }

    private func prepare(_ busAddress: String, _ timing: BlueZTiming) {
        let advertiser = BlueZAdvertiser(busAddress: busAddress, timing, on: thread.loop)
        advertiser.handler = { [unowned self] event in
            assumeIsolated { $0.events.append(event) }
        }
        self.advertiser = advertiser
    }

    func advertise(_ advertisement: BeaconAdvertisement) {
        advertiser?.advertise(advertisement)
    }

    func stop() {
        advertiser?.stop()
    }

    /// Ends the loop too.
    func finish() {
        advertiser?.stop()
        advertiser = nil
        thread.loop.stop()
    }

    /// Waits until the newest event is `event`.
    nonisolated func wait(
        for event: BeaconAdvertiserEvent, within limit: Duration = Deadline.generous
    ) async throws {
        try await eventually(
            "the advertiser to tell \(event)", within: limit,
            seen: { "\(await self.events)" }
        ) { await self.events.last == event }
    }

    /// What has been wrong.
    var troubles: [BluetoothTrouble] {
        events.compactMap { if case .unavailable(let trouble) = $0 { trouble } else { nil } }
    }

    // MARK: A usual one

    static let payload = BeaconPayload(
        address: IPAddress("192.0.2.7"), port: 23_267, sessionTag: 0xABCD)
    static let advertisement = BeaconAdvertisement(eventName: "Town Hall", payload: payload)

    /// A driver whose advertiser has begun to send the usual advertisement.
    static func started(
        at bluetooth: FakeBluetooth, _ timing: BlueZTiming = .quick
    ) async throws -> AdvertiserDriver {
        let driver = try await AdvertiserDriver(at: bluetooth.busAddress, timing)
        await driver.advertise(advertisement)
        return driver
    }
}
