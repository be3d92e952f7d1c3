internal import BeamscribeCore
public import BeamscribeIO

/// Finds beamscribe hosts: a ``ServiceBrowser``, a ``BeaconScanner`` and, for each host, a look
/// whether its port answers, so that one that has gone without a word is not offered.
///
/// Invariant: `hosts` are the browser's latest instances and the scanner's latest beacons; each has
/// at most one probe running, and keeps its answer until its addresses change or a refresh asks
/// again. Nothing is kept of a host that has gone.
public final class HostFinder {
    /// Told of every change, on the loop.
    public var changed: () -> Void = {}
    public private(set) var hosts: [DiscoveredHost] = []
    /// All services of the type, also those that are no host.
    public private(set) var services: [ServiceInstance] = []
    /// Whether everybody who was there from the start has been heard and looked at.
    public var isSettled: Bool {
        // Who can only be heard is waited for where the network tells nothing.
        let hasBrowsed = hasHeardAll || unavailable != nil && canListen
        return hasBrowsed && hasListened && probes.isEmpty
    }
    /// Why nothing can be found on the network for now.
    public private(set) var unavailable: String?
    /// Why nothing can be heard for now.
    public private(set) var bluetoothTrouble: BluetoothTrouble?

    private let browser: any ServiceBrowser
    private let scanner: (any BeaconScanner)?
    private var beacons: [HeardBeacon] = []
    private var isListening = false
    private var hasListened: Bool
    private let network: any Network
    private let probesHosts: Bool
    private var hasHeardAll = false
    private var probes: [String: Dialer] = [:]
    private var answers: [String: Answer] = [:]
    @OwnedTimer private var poke: LoopTimer?

    private struct Answer {
        var endpoints: [Endpoint]
        var reachability: DiscoveredHost.Reachability
    }

    /// - Parameters:
    ///   - scanner: listens for beacons; nil to do without.
    ///   - probesHosts: whether to look if the hosts' ports answer.
    public init(
        _ browser: any ServiceBrowser, _ scanner: (any BeaconScanner)? = nil, probesHosts: Bool,
        over network: any Network
    ) {
        self.browser = browser
        self.scanner = scanner
        hasListened = scanner == nil
        self.probesHosts = probesHosts
        self.network = network
        browser.handler = { [unowned self] in happened($0) }
        scanner?.handler = { [unowned self] in happened($0) }
    }

    /// Begins to look.
    ///
    /// - Parameter isListening: whether to listen for beacons, too.
    public func start(listening isListening: Bool = true) {
        browser.start()
        if isListening { listen() }
        pokeLater()
    }

    /// Listens for beacons, if it does not.
    public func listen() {
        guard !isListening else { return }
        isListening = true
        scanner?.start()
    }

    /// Leaves the air to others: listens no more for beacons, and goes on looking otherwise.
    public func listenNoMore() {
        guard isListening else { return }
        isListening = false
        scanner?.stop()
        beacons = []
        update()
    }

    public func stop() {
        poke?.cancel()
        browser.stop()
        listenNoMore()
        probes = [:]
    }

    /// Asks the network anew, and the hosts' ports too.
    public func refresh() {
        // Those that answered too: who crashed does not say so, and Avahi believes in it for long.
        for id in answers.keys { answers[id]?.endpoints = [] }
        browser.refresh()
        probeAll()
    }

    /// While somebody waits, the network is asked now and then past the daemon, which may have
    /// missed an announcement.
    private func pokeLater() {
        poke = network.loop.schedule(after: Limits.pokeInterval) { [unowned self] in
            refresh()
            pokeLater()
        }
    }

    private func happened(_ event: ServiceBrowserEvent) {
        switch event {
        case .changed(let instances):
            // Whoever asks anew is mostly told what is known.
            if instances != services {
                services = instances
                update()
            }
        case .settled: hasHeardAll = true
        case .unavailable(let reason): unavailable = reason
        case .available: unavailable = nil
        }
        changed()
    }

    private func happened(_ event: BeaconScannerEvent) {
        switch event {
        case .changed(let heard):
            let known = Set(beacons.map(\.id))
            beacons = heard
            // Who does not say where he is may be on the network all the same.
            let isMysterious = heard.contains {
                $0.payload?.endpoint == nil && !known.contains($0.id)
            }
            if isMysterious { browser.refresh() }
            update()
        case .settled: hasListened = true
        case .unavailable(let trouble):
            bluetoothTrouble = trouble
            hasListened = true
        case .available: bluetoothTrouble = nil
        }
        changed()
    }

    private var canListen: Bool { scanner != nil && bluetoothTrouble == nil }

    private func update() {
        hosts = HostTable.hosts(announced: services, heard: beacons)
        let ids = Set(hosts.map(\.id))
        answers = answers.filter { ids.contains($0.key) }
        probes = probes.filter { ids.contains($0.key) }
        probeAll()
    }

    // MARK: Probing

    private func probeAll() {
        guard probesHosts else { return }
        for index in hosts.indices {
            let host = hosts[index]
            let answer = answers[host.id]
            // What was found out counts until there is a new answer: a host whose next address
            // turns up does not vanish meanwhile.
            if let answer { hosts[index].reachability = answer.reachability }
            if answer?.endpoints != host.endpoints, probes[host.id] == nil { probe(host) }
        }
    }

    private func probe(_ host: DiscoveredHost) {
        guard !host.endpoints.isEmpty else { return answered(host, .reachable) }
        probes[host.id] = Dialer(
            host.endpoints.map { .network($0) }, timeout: Limits.probeTimeout, over: network,
            connected: { [unowned self] _, _ in answered(host, .reachable) },
            failed: { [unowned self] trouble in
                // A device that is in reach by Bluetooth needs no network.
                let isInReach = !host.channels.isEmpty
                answered(host, isInReach ? .reachable : .unreachable(trouble.why))
            })
    }

    private func answered(_ host: DiscoveredHost, _ reachability: DiscoveredHost.Reachability) {
        probes[host.id] = nil
        answers[host.id] = Answer(endpoints: host.endpoints, reachability: reachability)
        probeAll()
        changed()
    }
}
