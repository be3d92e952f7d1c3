import BeamscribeIO

/// The search for beacons at one adapter: begun, and again whenever that failed. It ends when its
/// client leaves the bus, and must end so: bluetoothd 5.66 ends everybody's search when a client
/// ends its own, had set a filter, and leaves then.
final class AdapterDiscovery {
    private(set) var state = Standing.pending
    private let adapter: BlueZAdapter
    /// Told when bluetoothd listens no longer although it has not said so.
    private let failed: () -> Void
    @OwnedTimer private var idle: LoopTimer?
    private let daemon: BlueZDaemon
    private let loop: EventLoop
    private let changed: () -> Void
    @OwnedTimer private var retry: LoopTimer?

    /// Begins.
    ///
    /// - Parameters:
    ///   - failed: told when bluetoothd has ended the search without a word.
    ///   - changed: told when `state` is another, but not before this returns.
    init(
        at adapter: BlueZAdapter, of daemon: BlueZDaemon, on loop: EventLoop,
        failed: @escaping () -> Void, _ changed: @escaping () -> Void
    ) {
        self.failed = failed
        self.adapter = adapter
        self.daemon = daemon
        self.loop = loop
        self.changed = changed
        begin()
    }

    /// The adapter is otherwise than before. bluetoothd rests between two rounds of listening, but
    /// not for long.
    func update(_ adapter: BlueZAdapter) {
        if adapter.isDiscovering || state != .granted {
            idle = nil
        } else if idle == nil {
            idle = loop.schedule(after: daemon.timing.idleLimit) { [weak self] in self?.failed() }
        }
    }

    private func begin() {
        // Duplicates are the sign that a beacon is still there.
        let filter: [String: BusValue] = [
            "UUIDs": .strings([BeaconAdvertisement.serviceUUID]), "Transport": .string("le"),
            "DuplicateData": .boolean(true),
        ]
        call("SetDiscoveryFilter", [.properties(filter)]) { [unowned self] in
            call("StartDiscovery") { [unowned self] in become(.granted) }
        }
    }

    private func call(
        _ method: String, _ arguments: [BusValue] = [], then next: @escaping () -> Void
    ) {
        daemon.call(method, of: BlueZNames.adapter, at: adapter.path, arguments) {
            [weak self] result in
            guard let self else { return }
            switch result {
            case .success: next()
            // The search of a bluetoothd that was here before has not run out yet.
            case .failure(.refused("org.bluez.Error.InProgress", _)):
                tryAgain(after: daemon.timing.busyInterval)
            case .failure(let error): fail(BluetoothTrouble(error, adapter: adapter.name))
            }
        }
    }

    private func fail(_ trouble: BluetoothTrouble) {
        tryAgain(after: daemon.timing.retryInterval)
        become(.refused(trouble))
    }

    private func tryAgain(after delay: Duration) {
        retry = loop.schedule(after: delay) { [weak self] in self?.begin() }
    }

    private func become(_ next: Standing) {
        guard next != state else { return }
        state = next
        changed()
    }
}
