public import BeamscribeCore
import BeamscribeDiscovery
public import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials

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

    nonisolated let thread: LoopThread
    let configuration: GuestConfiguration
    let session: GuestSession
    let link: GuestLink
    private let trust: HostTrust
    /// Nil for a guest without the event's code.
    private let code: GuestCode?
    /// Who the guest is to a host that proves nothing.
    private let plainID = UUID()
    var finder: HostFinder?
    /// What is known of where the host is.
    var whereabouts: Whereabouts
    /// The next try to leave a channel for a network.
    var moving: LoopTimer?
    /// When beacons are listened for no longer, while there is a channel.
    var listening: LoopTimer?
    private var addressMonitor: AddressMonitor?
    private var deadline: LoopTimer?
    private var searchDeadline: LoopTimer?
    private var statistics: LoopTimer?
    var bluetoothTrouble: BluetoothTrouble?
    private var lastTrouble = "nobody answered"
    /// A guest that was started lives until it is done: the loop calls it.
    private var lifeline: Guest?

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    /// - Parameter thread: the loop to run on; one of the guest's own by default.
    public init(
        _ configuration: GuestConfiguration, on thread: LoopThread? = nil
    ) throws(GuestError) {
        do throws(SystemError) {
            self.thread = try LoopThread.given(thread)
        } catch {
            throw .cannotBegin(error)
        }
        do throws(TLSError) {
            trust = try HostTrust(configuration.security)
        } catch {
            throw .cannotSecure(error)
        }
        self.configuration = configuration
        code = configuration.security.code.map { GuestCode($0) }
        whereabouts = Whereabouts(of: configuration.target)
        var core = configuration.session
        core.hasCode = configuration.security.code != nil
        session = GuestSession(
            core, seed: SystemRandomNumberGenerator.seed(), now: Clock.now)
        link = GuestLink(trusting: trust, on: self.thread.loop)
    }

    /// What belongs to the loop goes on its thread.
    isolated deinit {}

    /// Begins to connect.
    public func start() {
        lifeline = self
        link.happened = { [unowned self] event in
            switch event {
            case .connected(let destination, let security): connected(to: destination, security)
            case .moved(let destination, let security): moved(to: destination, security)
            case .failed(let failure): connectionFailed(failure)
            case .turnedAway(let destination, let refusal):
                tell([.turnedAway(at: "\(destination)", refusal)])
            case .bytes(let bytes): perform(session.received(bytes, now: Clock.now))
            case .life: session.heard(now: Clock.now)
            case .closed(let trouble): connectionClosed(trouble)
            }
        }
        let guest = self
        events.whenDrained { guest.drained() }
        addressMonitor = try? AddressMonitor(on: thread.loop) { [unowned self] in
            addressesChanged()
        }
        if let timeout = configuration.searchTimeout {
            searchDeadline = thread.loop.schedule(after: timeout) { [unowned self] in
                giveUpSearching()
            }
        }
        tellStatistics()
        perform(session.tick(Clock.now))
    }

    /// Leaves the event.
    public func stop() {
        perform(session.stop())
    }

    /// Whether a host has let the guest in and was not turned away for what it is.
    public var hasJoined: Bool { outcome == nil && session.position != nil }

    /// The shortest way to the host and back, in seconds.
    public var roundTrip: Double? { session.roundTrip }

    private func giveUpSearching() {
        perform(session.giveUpSearching(why: lastTrouble))
    }

    // MARK: The connection

    private func connected(to destination: Destination, _ security: ConnectionSecurity) {
        whereabouts.led(to: destination)
        stopLooking()
        perform(
            session.connected(
                over: destination.transport, security: security, as: id(at: security),
                now: Clock.now))
    }

    private func moved(to destination: Destination, _ security: ConnectionSecurity) {
        whereabouts.led(to: destination)
        stopLooking()
        perform(
            session.moved(
                over: destination.transport, security: security, as: id(at: security),
                now: Clock.now))
    }

    private func id(at security: ConnectionSecurity) -> UUID {
        security.fingerprint.map { configuration.device.id(at: $0) } ?? plainID
    }

    // MARK: The event's code

    private func proveCode(_ salt: [UInt8]) {
        guard let code else { return perform(session.codeShare(nil, now: Clock.now)) }
        if let secret = code.secret(for: salt) { return sayShare(secret) }
        let (recipe, number) = (code.recipe(for: salt), link.number)
        Task {
            let secret = await recipe()
            // The connection that it was for may be gone.
            guard outcome == nil, link.number == number else { return }
            sayShare(secret)
        }
    }

    private func sayShare(_ secret: CodeSecret?) {
        let share = secret.flatMap { secret in
            link.exportedKey().flatMap { code?.begin(secret, exporter: $0) }
        }
        perform(session.codeShare(share, now: Clock.now))
    }

    private func judgeCode(_ share: [UInt8], _ confirm: [UInt8]) {
        let verdict = code?.judge(share: share, confirm: confirm) ?? .broken
        perform(session.codeJudged(verdict, now: Clock.now))
    }

    // MARK: What the session wants

    private func connectionFailed(_ failure: DialFailure) {
        defer { lookAgain() }
        let now = Clock.now
        switch failure {
        case .trouble(let trouble):
            lastTrouble = trouble.why
            perform(session.connectionFailed(trouble, now: now))
        case .refused(let refusal): perform(session.refused(refusal, now: now))
        case .violated(let what): perform(session.violatedSecurity(what, now: now))
        }
    }

    private func connectionClosed(_ trouble: ConnectionTrouble) {
        perform(session.disconnected(trouble, now: Clock.now))
        lookAgain()
    }

    func perform(_ actions: [GuestSession.Action]) {
        var reports: [GuestEvent] = []
        var isLost = false
        for action in actions {
            switch action {
            case .report(.joined(let event)):
                do throws(SecurityRefusal) {
                    reports += try joined(event)
                } catch {
                    tell(reports)
                    return perform(session.distrusts(error))
                }
            case .report(let event): reports.append(event)
            case .send(let bytes): link.send(bytes)
            case .connect: connect()
            case .proveCode(let salt): proveCode(salt)
            case .judgeCode(let share, let confirm): judgeCode(share, confirm)
            case .disconnect:
                link.disconnect()
                isLost = true
            case .finish(let outcome):
                tell(reports)
                return finish(outcome)
            }
        }
        tell(reports)
        // A guest that has ended is not here any more, and looks for nobody.
        if isLost { lookAgain() }
        arm()
    }

    private func joined(_ event: JoinedEvent) throws(SecurityRefusal) -> [GuestEvent] {
        var event = event
        event.security = try trust.joins(event)
        do throws(KnownHostsFileError) {
            try trust.remember(event)
            return [.joined(event)]
        } catch {
            return [.joined(event), .trouble("the host's key cannot be remembered: \(error)")]
        }
    }

    func tell(_ reports: [GuestEvent]) {
        guard !events.push(reports), !link.isPaused else { return }
        link.isPaused = true
        session.readingPaused(true, now: Clock.now)
    }

    /// Tells how the guest fares, and will do so again. A reader who is behind has no use for it.
    private func tellStatistics() {
        guard let interval = configuration.statistics else { return }
        if session.isConnected, !link.isPaused {
            tell([.stats(session.statistics(now: Clock.now))])
        }
        statistics = thread.loop.schedule(after: interval) { [unowned self] in tellStatistics() }
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
        statistics?.cancel()
        link.disconnect()
        finder?.stop()
        finder = nil
        moving?.cancel()
        listening?.cancel()
        addressMonitor = nil
        link.happened = { _ in }
        events.finish()
        lifeline = nil
    }
}
