public import BeamscribeCore
import BeamscribeDiscovery
public import BeamscribeIO

/// Takes part in an event: connects, reads, and comes back when the connection is lost.
///
/// ```swift
/// let guest = try Guest(configuration)
/// await guest.start()
/// for await batch in guest.events { ... }
/// let outcome = await guest.outcome
/// ```
///
/// While the reader does not take events, the guest stops reading its socket: the host's
/// transcript is the queue.
public actor Guest {
    /// What happens, until the guest is done.
    public nonisolated let events = EventBuffer<GuestEvent>(limit: Limits.waitingEvents)
    /// How it ended; nil before.
    public private(set) var outcome: GuestOutcome?

    private nonisolated let thread: LoopThread
    private let configuration: GuestConfiguration
    private let session: GuestSession
    private let link: GuestLink
    private var finder: HostFinder?
    private var addressMonitor: AddressMonitor?
    private var deadline: LoopTimer?
    private var searchDeadline: LoopTimer?
    /// The addresses that the guest was started with, and those that were found since.
    private let given: [Endpoint]
    private var endpoints: [Endpoint] = []
    private var lastGood: Endpoint?
    private var lastTrouble = "nobody answered"
    /// A guest that was started lives until it is done: the loop calls it.
    private var lifeline: Guest?

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    /// - Parameter thread: the loop to run on; one of the guest's own by default.
    public init(
        _ configuration: GuestConfiguration, on thread: LoopThread? = nil
    ) throws(SystemError) {
        let thread = try LoopThread.given(thread)
        self.thread = thread
        self.configuration = configuration
        switch configuration.target {
        case .endpoints(let endpoints, _): given = endpoints
        case .host(let host): given = host.endpoints
        }
        session = GuestSession(
            configuration.session, seed: SystemRandomNumberGenerator.seed(), now: Clock.now)
        link = GuestLink(on: thread.loop)
    }

    /// Begins to connect.
    public func start() {
        lifeline = self
        link.happened = { [unowned self] event in
            switch event {
            case .connected(let endpoint): connected(to: endpoint)
            case .failed(let trouble): connectionFailed(trouble)
            case .bytes(let bytes): perform(session.received(bytes, now: Clock.now))
            case .closed(let trouble): connectionClosed(trouble)
            }
        }
        let guest = self
        events.whenDrained { guest.drained() }
        addressMonitor = try? AddressMonitor(on: thread.loop) { [unowned self] in
            perform(session.prospectsChanged(now: Clock.now))
        }
        if let timeout = configuration.searchTimeout {
            searchDeadline = thread.loop.schedule(after: timeout) { [unowned self] in
                giveUpSearching()
            }
        }
        perform(session.tick(Clock.now))
    }

    /// Leaves the event.
    public func stop() {
        perform(session.stop())
    }

    /// The shortest way to the host and back, in seconds.
    public var roundTrip: Double? { session.roundTrip }

    private func giveUpSearching() {
        perform(session.giveUpSearching(why: lastTrouble))
    }

    // MARK: The connection

    private func connected(to endpoint: Endpoint) {
        lastGood = endpoint
        stopLooking()
        perform(session.connected(now: Clock.now))
    }

    private func connectionFailed(_ trouble: ConnectionTrouble) {
        lastTrouble = trouble.why
        lookAgain()
        perform(session.connectionFailed(trouble, now: Clock.now))
    }

    private func connectionClosed(_ trouble: ConnectionTrouble) {
        lookAgain()
        perform(session.disconnected(trouble, now: Clock.now))
    }

    private func perform(_ actions: [GuestSession.Action]) {
        var reports: [GuestEvent] = []
        for action in actions {
            switch action {
            case .report(let event): reports.append(event)
            case .send(let bytes): link.send(bytes)
            case .connect: link.connect(to: candidates)
            case .disconnect:
                link.disconnect()
                lookAgain()
            case .finish(let outcome):
                tell(reports)
                return finish(outcome)
            }
        }
        tell(reports)
        arm()
    }

    private func tell(_ reports: [GuestEvent]) {
        guard !events.push(reports), !link.isPaused else { return }
        link.isPaused = true
        session.readingPaused(true, now: Clock.now)
    }

    private nonisolated func drained() {
        Task { await readOn() }
    }

    private func readOn() {
        guard link.isPaused else { return }
        link.isPaused = false
        session.readingPaused(false, now: Clock.now)
        arm()
    }

    private func arm() {
        deadline?.cancel()
        guard let due = session.nextDeadline, outcome == nil else { return }
        deadline = thread.loop.schedule(at: due) { [unowned self] in
            perform(session.tick(Clock.now))
        }
    }

    private func finish(_ outcome: GuestOutcome) {
        self.outcome = outcome
        deadline?.cancel()
        searchDeadline?.cancel()
        link.disconnect()
        finder?.stop()
        finder = nil
        addressMonitor = nil
        events.finish()
        lifeline = nil
    }

    // MARK: Finding the host again

    private var candidates: [Endpoint] {
        var seen: Set<Endpoint> = []
        return ([lastGood].compactMap(\.self) + endpoints + given)
            .filter { seen.insert($0).inserted }
    }

    /// A host that was given by its address is looked for once it is lost: it may be back at
    /// another one, and its session tells it from all others.
    private func lookAgain() {
        guard outcome == nil, isFindable else { return }
        if let finder { return finder.refresh() }
        let finder = HostFinder(
            AvahiBrowser(type: DiscoveredHost.serviceType, on: thread.loop), probesHosts: false,
            on: thread.loop)
        finder.changed = { [unowned self] in takeDiscoveries() }
        self.finder = finder
        finder.start()
    }

    private var isFindable: Bool {
        if case .host = configuration.target { return true }
        return session.position != nil
    }

    private func stopLooking() {
        finder?.stop()
        finder = nil
    }

    private func takeDiscoveries() {
        guard let host = finder?.hosts.first(where: isOurs) else { return }
        let fresh = host.endpoints.filter { !candidates.contains($0) }
        endpoints = host.endpoints
        guard !fresh.isEmpty else { return }
        fresh.forEach { link.add($0) }
        perform(session.prospectsChanged(now: Clock.now))
    }

    /// The host that was here before: by its session, or by its name while it had not told that.
    private func isOurs(_ host: DiscoveredHost) -> Bool {
        if let session = session.position?.session { return host.session == session }
        guard case .host(let wanted) = configuration.target else { return false }
        if let session = wanted.session { return host.session == session }
        return host.instanceName == wanted.instanceName
    }
}
