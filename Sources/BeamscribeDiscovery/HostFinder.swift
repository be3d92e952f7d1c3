internal import BeamscribeCore
public import BeamscribeIO

/// Finds beamscribe hosts and those who hold their events: a ``ServiceBrowser`` for each, a
/// ``BeaconScanner`` and, for each host, a look whether its port answers, so that one that has gone
/// without a word is not offered. Where it does not, those are asked who hold its event.
///
/// Invariant: `hosts` are the browsers' latest instances and the scanner's latest beacons; each has
/// at most one probe running, and keeps its answer until its addresses change or a refresh asks
/// again. Nothing is kept of a host that has gone.
public final class HostFinder {
    /// Told of every change, on the loop.
    public var changed: () -> Void = {}
    public private(set) var hosts: [DiscoveredHost] = []
    /// All services of the type, also those that are no host.
    public private(set) var services: [ServiceInstance] = []
    /// Whether everybody who was there from the start has been heard and looked at.
    public var isSettled: Bool { areHostsSettled && hasHeardHolders && probes.isEmpty }
    /// The same of hosts alone: who finds one need not wait for those who hold events.
    public var areHostsSettled: Bool {
        // Who can only be heard is waited for where the network tells nothing.
        let hasBrowsed = hasHeardAll || unavailable != nil && canListen
        return hasBrowsed && hasListened && !probes.values.contains(where: \.awaitsHost)
    }
    /// Why nothing can be found on the network for now.
    public private(set) var unavailable: String?
    /// Why nothing can be heard for now.
    public private(set) var bluetoothTrouble: BluetoothTrouble?

    /// The node that this program is itself, which holds nothing that it lacks: it is passed over. To
    /// be set before the start.
    public var ownNode: String?

    private let browser: any ServiceBrowser
    private let holderBrowser: (any ServiceBrowser)?
    private let scanner: (any BeaconScanner)?
    private var beacons: [HeardBeacon] = []
    private var isListening = false
    private var hasListened: Bool
    private let network: any Network
    private let probesHosts: Bool
    private var hasHeardAll = false
    private var holding: [ServiceInstance] = []
    private var hasHeardHolders: Bool
    private var probes: [String: HostProbe] = [:]
    private var answers: [String: Answer] = [:]
    @OwnedTimer private var poke: LoopTimer?

    private struct Answer {
        var endpoints: [Endpoint]
        var holders: [Endpoint]
        var reachability: DiscoveredHost.Reachability
        var isHostSilent: Bool
        /// Whether it is to be asked anew.
        var isStale: Bool

        /// Who holds its event does not matter where the host has answered.
        func isOf(_ host: DiscoveredHost) -> Bool {
            let isByHost = reachability == .reachable && !isHostSilent && !endpoints.isEmpty
            return !isStale && endpoints == host.endpoints
                && (isByHost || holders == host.holders)
        }
    }

    /// - Parameters:
    ///   - scanner: listens for beacons; nil to do without.
    ///   - holders: looks for those who hold events; nil to do without.
    ///   - probesHosts: whether to look if the hosts' ports answer.
    public init(
        _ browser: any ServiceBrowser, _ scanner: (any BeaconScanner)? = nil,
        holders: (any ServiceBrowser)? = nil, probesHosts: Bool, over network: any Network
    ) {
        self.browser = browser
        holderBrowser = holders
        hasHeardHolders = holders == nil
        self.scanner = scanner
        hasListened = scanner == nil
        self.probesHosts = probesHosts
        self.network = network
        // One that tells several things in a row may outlive whoever has found enough with the first.
        browser.handler = { [weak self] in self?.happened($0) }
        holders?.handler = { [weak self] in self?.happenedAmongHolders($0) }
        scanner?.handler = { [weak self] in self?.happened($0) }
    }

    /// Begins to look.
    ///
    /// - Parameter isListening: whether to listen for beacons, too.
    public func start(listening isListening: Bool = true) {
        browser.start()
        holderBrowser?.start()
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
        holderBrowser?.stop()
        listenNoMore()
        probes = [:]
    }

    /// Asks the network anew, and the hosts' ports too.
    public func refresh() {
        // Those that answered too: who crashed does not say so, and Avahi believes in it for long.
        for id in answers.keys { answers[id]?.isStale = true }
        browser.refresh()
        holderBrowser?.refresh()
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

    /// Whether Avahi is there is told by the other browser.
    private func happenedAmongHolders(_ event: ServiceBrowserEvent) {
        switch event {
        case .changed(let instances):
            if instances != holding {
                holding = instances
                update()
            }
        case .settled, .unavailable: hasHeardHolders = true
        case .available: break
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
        let others = holding.filter { ownNode == nil || $0.name.lowercased() != ownNode }
        hosts = HostTable.hosts(announced: services, held: others, heard: beacons)
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
            if let answer {
                hosts[index].reachability = answer.reachability
                hosts[index].isHostSilent = answer.isHostSilent && !host.holders.isEmpty
            }
            if answer?.isOf(host) != true, probes[host.id] == nil { probe(host) }
        }
    }

    private func probe(_ host: DiscoveredHost) {
        guard !host.endpoints.isEmpty || host.isHeldOnly else {
            return found(.init(reachability: .reachable, isHostSilent: false), of: host)
        }
        probes[host.id] = HostProbe(of: host, over: network) { [unowned self] in
            found($0, of: host)
        }
    }

    private func found(_ finding: HostProbe.Finding, of host: DiscoveredHost) {
        if finding.isLast { probes[host.id] = nil }
        let before = answers[host.id]?.reachability ?? .unknown
        answers[host.id] = Answer(
            endpoints: host.endpoints, holders: host.holders,
            reachability: finding.reachability ?? before, isHostSilent: finding.isHostSilent,
            isStale: !finding.isLast)
        probeAll()
        changed()
    }
}
