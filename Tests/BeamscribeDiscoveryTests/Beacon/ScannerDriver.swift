import BeamscribeIO
import TestSupport

@testable import BeamscribeDiscovery

/// A scanner on a loop of its own, with all that it has told.
actor ScannerDriver {
    private(set) var events: [BeaconScannerEvent] = []
    private nonisolated let thread: LoopThread
    private var scanner: BlueZScanner?
    private var addresses: UInt8 = 0
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(at busAddress: String, _ timing: BlueZTiming = .quick) async throws {
        thread = try LoopThread()
        prepare(busAddress, timing)
    }

    private func prepare(_ busAddress: String, _ timing: BlueZTiming) {
        let scanner = BlueZScanner(busAddress: busAddress, timing, on: thread.loop)
        scanner.handler = { [unowned self] event in
            assumeIsolated { $0.events.append(event) }
        }
        self.scanner = scanner
    }

    func start() {
        scanner?.start()
    }

    func stop() {
        scanner?.stop()
    }

    /// Ends the loop too.
    func finish() {
        scanner?.stop()
        scanner = nil
        thread.loop.stop()
    }

    /// The beacons that were told last.
    var beacons: [HeardBeacon] {
        for case .changed(let beacons) in events.reversed() { return beacons }
        return []
    }

    /// How many beacons were told each time.
    var beaconCounts: [Int] {
        events.compactMap { if case .changed(let beacons) = $0 { beacons.count } else { nil } }
    }

    func forgetEvents() {
        events = []
    }

    /// An address that no stranger had before.
    func nextAddress() -> String {
        addresses += 1
        let bytes = [0x66, 0, 0, 0, 0, addresses]
        return BluetoothAddress(bytes: bytes, kind: .random)?.description ?? ""
    }

    /// Waits until the beacons that were told last are as `condition` has it.
    nonisolated func wait(
        forBeacons what: String, within limit: Duration = Deadline.generous,
        _ condition: @Sendable ([HeardBeacon]) -> Bool
    ) async throws {
        try await eventually(
            what, within: limit, seen: { "\(await self.events)" }
        ) { condition(await self.beacons) }
    }

    /// Waits until `event` was told.
    nonisolated func wait(
        for event: BeaconScannerEvent, within limit: Duration = Deadline.generous
    ) async throws {
        try await eventually(
            "the scanner to tell \(event)", within: limit, seen: { "\(await self.events)" }
        ) { await self.events.contains(event) }
    }
}
