import BeamscribeIO

/// An advertisement at one adapter: registered, and again whenever that failed.
///
/// Invariant: `object` is there while bluetoothd knows of it or is told of it, and `described` is
/// what it was last told.
final class AdvertisementRegistration {
    private(set) var state = Standing.pending
    /// The adapter as it is now.
    private(set) var adapter: BlueZAdapter

    private let daemon: BlueZDaemon
    private let loop: EventLoop
    private let changed: () -> Void
    private var advertisement: BeaconAdvertisement
    private var described: BeaconAdvertisement?
    private var object: (path: String, slot: BusSlot)?
    @OwnedTimer private var retry: LoopTimer?
    @OwnedTimer private var renewal: LoopTimer?

    /// Registers it.
    ///
    /// - Parameter changed: told when `state` is another, but not before this returns.
    init(
        _ advertisement: BeaconAdvertisement, at adapter: BlueZAdapter, of daemon: BlueZDaemon,
        on loop: EventLoop, _ changed: @escaping () -> Void
    ) {
        self.advertisement = advertisement
        self.adapter = adapter
        self.daemon = daemon
        self.loop = loop
        self.changed = changed
        register()
    }

    /// Sends this instead.
    func update(_ next: BeaconAdvertisement) {
        advertisement = next
        if state == .granted { describeAnew() }
    }

    /// The adapter is otherwise than before.
    func update(_ next: BlueZAdapter) {
        let isSlotFree = next.freeSlots != adapter.freeSlots && next.freeSlots != 0
        adapter = next
        if case .refused(.noSlot) = state, isSlotFree { registerAnew() }
    }

    /// Has it sent anew, if somebody who connects by it ends it.
    func renew() {
        guard state == .granted, advertisement.isConnectable, renewal == nil else { return }
        renewal = loop.schedule(after: daemon.timing.renewalDelay) { [weak self] in
            self?.renewal = nil
            if self?.state == .granted { self?.registerAnew() }
        }
    }

    func withdraw() {
        retry?.cancel()
        guard let object else { return }
        daemon.send(
            "UnregisterAdvertisement", of: BlueZNames.advertisingManager, at: adapter.path,
            [.objectPath(object.path)])
        self.object = nil
        described = nil
    }

    // MARK: Registering

    private func register() {
        object = daemon.export { [weak self] in self?.answer($0) }
        guard let path = object?.path else { return become(.refused(.noBus)) }
        daemon.call(
            "RegisterAdvertisement", of: BlueZNames.advertisingManager, at: adapter.path,
            [.objectPath(path), .properties([:])]
        ) { [weak self] result in
            // Its object says whether the answer is about this registration.
            if self?.object?.path == path { self?.finish(result) }
        }
    }

    private func registerAnew() {
        withdraw()
        state = .pending
        register()
    }

    private func finish(_ result: Result<BusMessage, BusError>) {
        switch result {
        case .success:
            become(.granted)
            describeAnew()
        case .failure(let error):
            // What was not answered in time may be done later.
            withdraw()
            tryAgain(after: daemon.timing.retryInterval)
            become(.refused(trouble(error)))
        }
    }

    private func trouble(_ error: BusError) -> BluetoothTrouble {
        if case .refused("org.bluez.Error.NotPermitted", _) = error {
            return .noSlot(adapter: adapter.name)
        }
        return BluetoothTrouble(error, adapter: adapter.name)
    }

    private func tryAgain(after delay: Duration) {
        retry = loop.schedule(after: delay) { [weak self] in self?.registerAnew() }
    }

    /// bluetoothd was told something else when it asked, or there is something new since.
    private func describeAnew() {
        guard let object, let described, described != advertisement else { return }
        guard let change = described.change(to: advertisement) else { return registerAnew() }
        daemon.emitChange(of: change, BlueZNames.advertisement, at: object.path)
        self.described = advertisement
    }

    private func become(_ next: Standing) {
        guard next != state else { return }
        state = next
        changed()
    }

    // MARK: The object

    /// Answers bluetoothd, which asks for the properties while it registers them.
    private func answer(_ call: BusMessage) -> [BusValue]? {
        switch (call.interface, call.member) {
        case (BlueZNames.properties, "GetAll"):
            described = advertisement
            return [.properties(advertisement.properties)]
        case (BlueZNames.properties, "Get"):
            let property = call.values.last?.text.flatMap { advertisement.properties[$0] }
            return property.map { [.variant($0)] }
        case (BlueZNames.advertisement, "Release"):
            released()
            return []
        default: return nil
        }
    }

    /// bluetoothd is about to leave, or the adapter is; or neither, and it is tried again.
    private func released() {
        state = .pending
        described = nil
        tryAgain(after: daemon.timing.releaseInterval)
        changed()
    }
}
