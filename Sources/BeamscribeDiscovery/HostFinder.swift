internal import BeamscribeCore
public import BeamscribeIO

/// Finds beamscribe hosts: a ``ServiceBrowser`` and, for each host, a look whether its port
/// answers, so that one that has gone without a word is not offered.
///
/// Invariant: `hosts` are the browser's latest instances; each has at most one probe running, and
/// keeps its answer until its addresses change or a refresh asks again.
public final class HostFinder {
    /// Told of every change, on the loop.
    public var changed: () -> Void = {}
    /// The hosts there are.
    public private(set) var hosts: [DiscoveredHost] = []
    /// All services of the type, also those that are no host.
    public private(set) var services: [ServiceInstance] = []
    /// Whether everybody who was there from the start has been heard and looked at.
    public var isSettled: Bool { hasHeardAll && probes.isEmpty }
    /// Why nothing can be found for now.
    public private(set) var unavailable: String?

    private let browser: any ServiceBrowser
    private let loop: EventLoop
    private let probesHosts: Bool
    private var hasHeardAll = false
    private var probes: [String: Dialer] = [:]
    private var answers: [String: Answer] = [:]
    private var poke: LoopTimer?

    private struct Answer {
        var endpoints: [Endpoint]
        var reachability: DiscoveredHost.Reachability
    }

    /// - Parameter probesHosts: whether to look if the hosts' ports answer.
    public init(_ browser: any ServiceBrowser, probesHosts: Bool, on loop: EventLoop) {
        self.browser = browser
        self.probesHosts = probesHosts
        self.loop = loop
        browser.handler = { [unowned self] in happened($0) }
    }

    deinit {
        poke?.cancel()
    }

    /// Begins to look.
    public func start() {
        browser.start()
        pokeLater()
    }

    /// Looks no more.
    public func stop() {
        poke?.cancel()
        probes = [:]
        browser.stop()
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
        poke = loop.schedule(after: Self.pokeInterval) { [unowned self] in
            refresh()
            pokeLater()
        }
    }

    private func happened(_ event: ServiceBrowserEvent) {
        switch event {
        case .changed(let instances):
            services = instances
            hosts = instances.compactMap(DiscoveredHost.init)
            probeAll()
        case .settled: hasHeardAll = true
        case .unavailable(let reason): unavailable = reason
        case .available: unavailable = nil
        }
        changed()
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
        probes[host.id] = Dialer(
            host.endpoints, timeout: Self.probeTimeout, on: loop,
            connected: { [unowned self] _, _ in answered(host, .reachable) },
            failed: { [unowned self] in answered(host, .unreachable($0.why)) })
    }

    private func answered(_ host: DiscoveredHost, _ reachability: DiscoveredHost.Reachability) {
        probes[host.id] = nil
        answers[host.id] = Answer(endpoints: host.endpoints, reachability: reachability)
        probeAll()
        changed()
    }

    private static let pokeInterval = Duration.seconds(4)
    private static let probeTimeout = Duration.seconds(2)
}
