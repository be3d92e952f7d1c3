public import BeamscribeDiscovery
public import BeamscribeIO

/// Finds the events, or any other services, on the network.
public actor Browser {
    /// How things stand; a reader that is slow gets the latest.
    public nonisolated let updates: AsyncStream<Update>

    /// What is known of the network.
    public struct Update: Equatable, Sendable {
        /// The events' hosts, each once, however they were found; then the events without a host
        /// whose logs others hold.
        public var hosts: [DiscoveredHost] = []
        /// All services of the type, also those that are no host.
        public var services: [ServiceInstance] = []
        /// Whether everybody who was there from the start has been heard and looked at.
        public var isSettled = false
        /// The same of hosts alone: who finds one need not wait for those who hold events.
        public var areHostsSettled = false
        /// Why nothing can be found for now.
        public var unavailable: String?
        /// Why no beacon can be heard for now.
        public var bluetoothTrouble: BluetoothTrouble?

        /// Nothing is known yet.
        public init() {}
    }

    nonisolated let surroundings: any Surroundings
    private let continuation: AsyncStream<Update>.Continuation
    private let finder: HostFinder
    /// A browser that was started lives until it is stopped: the loop calls it.
    private var lifeline: Browser?

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        surroundings.asUnownedSerialExecutor()
    }

    /// - Parameters:
    ///   - type: the service type, for example `_airplay._tcp`.
    ///   - bluetooth: the D-Bus address by which BlueZ is reached, to listen for beacons too; nil to
    ///     do without.
    ///   - probesHosts: whether to look if the hosts' ports answer.
    ///   - thread: the loop to run on; one of the browser's own by default.
    public init(
        type: String = DiscoveredHost.serviceType, bluetooth: String? = nil,
        probesHosts: Bool = true, on thread: LoopThread? = nil
    ) throws(SystemError) {
        let surroundings = SystemSurroundings(on: try .given(thread))
        self.surroundings = surroundings
        let discovery = surroundings.discovery
        (updates, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        let looksForHosts = type == DiscoveredHost.serviceType
        let scanner = bluetooth.flatMap {
            looksForHosts ? discovery.scanner(bus: $0) : nil
        }
        let holders =
            looksForHosts ? discovery.browser(for: DiscoveredHost.holderServiceType) : nil
        finder = HostFinder(
            discovery.browser(for: type), scanner, holders: holders,
            probesHosts: probesHosts && looksForHosts, over: surroundings.network)
    }

    /// What belongs to the loop goes on its thread.
    isolated deinit {}

    /// Begins to look.
    public func start() {
        lifeline = self
        finder.changed = { [unowned self] in tell() }
        finder.start()
    }

    /// Asks the network anew, past every cache.
    public func refresh() {
        finder.refresh()
    }

    /// Ends ``updates``.
    public func stop() {
        finder.changed = {}
        finder.stop()
        continuation.finish()
        lifeline = nil
    }

    private func tell() {
        var update = Update()
        update.hosts = finder.hosts
        update.services = finder.services
        update.isSettled = finder.isSettled
        update.areHostsSettled = finder.areHostsSettled
        update.unavailable = finder.unavailable
        update.bluetoothTrouble = finder.bluetoothTrouble
        continuation.yield(update)
    }
}
