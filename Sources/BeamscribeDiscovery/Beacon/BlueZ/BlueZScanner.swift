package import BeamscribeIO

/// Listens for beacons through BlueZ, at every adapter, and again whenever bluetoothd, an adapter
/// or the bus was away.
///
/// Invariant: `discoveries` has the powered adapters; `told` is what the owner knows.
public final class BlueZScanner: BeaconScanner, BlueZObserver {
    public var handler: ((BeaconScannerEvent) -> Void)?

    private let daemon: BlueZDaemon
    private let loop: EventLoop
    private var discoveries: [String: AdapterDiscovery] = [:]
    private var table: BeaconTable
    private var isStarted = false
    private var told: [HeardBeacon] = []
    private var trouble: BluetoothTrouble?
    private var isListening = false
    private var isSettled = false
    @OwnedTimer private var settling: LoopTimer?
    @OwnedTimer private var patience: LoopTimer?
    @OwnedTimer private var expiry: LoopTimer?

    /// - Parameter busAddress: see ``BusAddress/bluetooth(environment:)``.
    package init(busAddress: String, _ timing: BlueZTiming = BlueZTiming(), on loop: EventLoop) {
        self.loop = loop
        table = BeaconTable(silence: timing.silence)
        daemon = BlueZDaemon(at: busAddress, for: .init(devices: true), timing, on: loop)
        daemon.observer = self
    }

    public func start() {
        guard !isStarted else { return }
        isStarted = true
        isSettled = false
        settle(after: daemon.timing.settlingLimit)
        daemon.start()
    }

    public func stop() {
        isStarted = false
        (settling, patience, expiry) = (nil, nil, nil)
        discoveries = [:]
        table = BeaconTable(silence: daemon.timing.silence)
        told = []
        trouble = nil
        isListening = false
        daemon.stop()
    }

    // MARK: Adapters

    func daemonHasChanged() {
        if case .running = daemon.condition { follow() } else { forget() }
        judge()
    }

    /// Another bluetoothd may have other devices in the same places.
    private func forget() {
        discoveries = [:]
        table = BeaconTable(silence: daemon.timing.silence)
        tellOfBeacons()
    }

    private func follow() {
        let adapters = daemon.condition.poweredAdapters
        let paths = Set(adapters.map(\.path))
        for path in discoveries.keys where !paths.contains(path) { discoveries[path] = nil }
        for adapter in adapters {
            let discovery = discoveries[adapter.path] ?? begin(at: adapter)
            discovery.update(adapter)
            discoveries[adapter.path] = discovery
        }
    }

    private func begin(at adapter: BlueZAdapter) -> AdapterDiscovery {
        AdapterDiscovery(
            at: adapter, of: daemon, on: loop, failed: { [unowned self] in beginAnew() }
        ) { [unowned self] in judge() }
    }

    /// Only a new client gets another search out of a bluetoothd that believes it has one.
    private func beginAnew() {
        discoveries = [:]
        daemon.stop()
        daemon.start()
    }

    /// Tells whether anything can be heard, once that is known.
    private func judge() {
        if discoveries.values.contains(where: { $0.state == .granted }) { return listen() }
        isListening = false
        guard currentTrouble != nil, patience == nil else { return }
        patience = loop.schedule(after: daemon.timing.troubleDelay) { [unowned self] in
            patience = nil
            if let trouble = currentTrouble { tell(trouble) }
        }
    }

    /// Why nothing can be heard; nil if something can, or while that is about to be known.
    private var currentTrouble: BluetoothTrouble? {
        let states = discoveries.sorted { $0.key < $1.key }.map(\.value.state)
        if states.contains(.granted) || states.contains(.pending) { return nil }
        for case .refused(let trouble) in states { return trouble }
        return daemon.condition.trouble
    }

    private func listen() {
        guard !isListening else { return }
        isListening = true
        settle(after: daemon.timing.settlingTime)
        guard trouble != nil else { return }
        trouble = nil
        handler?(.available)
    }

    private func tell(_ next: BluetoothTrouble) {
        guard next != trouble else { return }
        trouble = next
        settle(after: .zero)
        handler?(.unavailable(next))
    }

    /// Tells after `delay` that all were heard, in place of what was to be before.
    private func settle(after delay: Duration) {
        guard !isSettled else { return }
        settling = loop.schedule(after: delay) { [unowned self] in
            isSettled = true
            handler?(.settled)
        }
    }

    // MARK: Beacons

    func deviceTells(_ event: DeviceEvent) {
        guard isStarted else { return }
        let now = Clock.uptime
        switch event {
        case .remembered(let path, let properties):
            table.remember(path, DeviceReport(properties))
        case .appeared(let path, let properties):
            table.appear(path, DeviceReport(properties), at: now)
        case .changed(let path, let properties):
            let report = DeviceReport(properties)
            if !table.knows(path), report.hasUUID == true || report.takesGuests {
                return ask(path)
            }
            table.change(path, report, at: now)
        case .vanished(let path): table.remove(path)
        }
        tellOfBeacons()
    }

    /// A device that was something else has become a host. What it says of that lacks its address.
    private func ask(_ path: String) {
        daemon.call(
            "GetAll", of: BlueZNames.properties, at: path, [.string(BlueZNames.device)]
        ) { [unowned self] result in
            guard case .success(let answer) = result, let properties = answer.values.first?.named
            else { return }
            var report = DeviceReport(properties)
            report.isHeard = true
            table.appear(path, report, at: Clock.uptime)
            tellOfBeacons()
        }
    }

    private func tellOfBeacons() {
        let beacons = table.beacons
        if beacons != told {
            told = beacons
            handler?(.changed(beacons))
        }
        // The next silence only ever moves away, so that a timer comes too early at worst.
        guard expiry == nil, let deadline = table.nextSilence else { return }
        expiry = loop.schedule(at: deadline) { [unowned self] in
            expiry = nil
            table.expire(at: Clock.uptime)
            tellOfBeacons()
        }
    }
}
