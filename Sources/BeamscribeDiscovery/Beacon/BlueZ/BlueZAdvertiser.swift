package import BeamscribeIO

/// Sends a beacon through BlueZ, by every adapter that can, and again whenever bluetoothd, an
/// adapter or the bus was away.
///
/// Invariant: `registrations` has the powered adapters that can advertise, while there is something
/// to advertise.
public final class BlueZAdvertiser: BeaconAdvertiser, BlueZObserver {
    public var handler: ((BeaconAdvertiserEvent) -> Void)?

    private let daemon: BlueZDaemon
    private let loop: EventLoop
    private var advertisement: BeaconAdvertisement?
    private var registrations: [String: AdvertisementRegistration] = [:]
    private var told: BeaconAdvertiserEvent?
    @OwnedTimer private var patience: LoopTimer?

    /// - Parameter busAddress: see ``BusAddress/bluetooth(environment:)``.
    package init(busAddress: String, _ timing: BlueZTiming = BlueZTiming(), on loop: EventLoop) {
        self.loop = loop
        daemon = BlueZDaemon(at: busAddress, for: .init(devices: true), timing, on: loop)
        daemon.observer = self
    }

    public func advertise(_ advertisement: BeaconAdvertisement) {
        self.advertisement = advertisement
        registrations.values.forEach { $0.update(advertisement) }
        daemon.start()
    }

    public func stop() {
        registrations.values.forEach { $0.withdraw() }
        registrations = [:]
        advertisement = nil
        told = nil
        patience = nil
        daemon.stop()
    }

    // MARK: The daemon

    func daemonHasChanged() {
        if case .running = daemon.condition { follow() } else { registrations = [:] }
        report()
    }

    private func follow() {
        let adapters = daemon.condition.poweredAdapters.filter(\.canAdvertise)
        let paths = Set(adapters.map(\.path))
        for (path, registration) in registrations where !paths.contains(path) {
            registration.withdraw()
            registrations[path] = nil
        }
        for adapter in adapters {
            if let registration = registrations[adapter.path] {
                registration.update(adapter)
            } else if let advertisement {
                registrations[adapter.path] = AdvertisementRegistration(
                    advertisement, at: adapter, of: daemon, on: loop
                ) { [unowned self] in report() }
            }
        }
    }

    /// A controller ends an advertisement when somebody connects by it, and Linux sends it again
    /// only once they are gone.
    func deviceTells(_ event: DeviceEvent) {
        switch event {
        case .appeared(let path, let properties), .changed(let path, let properties):
            guard properties["Connected"] == .boolean(true) else { return }
            for (adapter, registration) in registrations where path.hasPrefix(adapter + "/") {
                registration.renew()
            }
        case .remembered, .vanished: return
        }
    }

    // MARK: The owner

    /// Tells what is better at once, and what is worse if it stays so: an advertisement that is
    /// registered anew is away for a tenth of a second.
    private func report() {
        guard let event, event != told else { return }
        if isBetter(event) { return tell(event) }
        guard patience == nil else { return }
        patience = loop.schedule(after: daemon.timing.troubleDelay) { [unowned self] in
            patience = nil
            if let event = self.event, event != told { tell(event) }
        }
    }

    private func isBetter(_ event: BeaconAdvertiserEvent) -> Bool {
        guard case .advertising(let adapters) = event else { return false }
        guard case .advertising(let before) = told else { return true }
        return Set(before).isSubset(of: adapters)
    }

    private func tell(_ event: BeaconAdvertiserEvent) {
        told = event
        handler?(event)
    }

    /// How things stand; nil while that is about to be known.
    private var event: BeaconAdvertiserEvent? {
        let ordered = registrations.values.sorted { $0.adapter.path < $1.adapter.path }
        let sending = ordered.filter { $0.state == .granted }
        if !sending.isEmpty { return .advertising(adapters: sending.map(\.adapter.name)) }
        if ordered.contains(where: { $0.state == .pending }) { return nil }
        for case .refused(let trouble) in ordered.map(\.state) { return .unavailable(trouble) }
        if let trouble = daemon.condition.trouble { return .unavailable(trouble) }
        let useless = daemon.condition.poweredAdapters.map(\.name).joined(separator: ", ")
        return useless.isEmpty
            ? nil : .unavailable(.refused("the adapter \(useless) cannot advertise"))
    }
}
