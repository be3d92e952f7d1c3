public import BeamscribeCore
import BeamscribeDiscovery
public import BeamscribeIO
import FoundationEssentials

/// Asks those who hold a host's event for lines that its own disk has lost, with its power say, before
/// another run begins: where that gives other words to their numbers they are withdrawn everywhere.
///
/// They are asked whom the session's record remembers, and who is on the network now. What they say
/// counts only where the host itself has signed it.
///
/// They also tell who captions for the host meanwhile.
actor LostLineSearch {
    nonisolated let surroundings: any Surroundings
    private let session: StoredSession
    private let security: GuestSecurity
    private let name: String
    /// The newest line that the disk has.
    private let newest: Int
    private let finder: HostFinder
    /// A server that keeps the event; nil for none.
    private let backbone: BackbonePlace?
    private var asked: Set<Destination> = []
    private var asking: [Destination: Guest] = [:]
    private var found = Findings()
    private var answer: CheckedContinuation<Findings, Never>?
    @OwnedTimer private var deadline: LoopTimer?

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        surroundings.asUnownedSerialExecutor()
    }

    private nonisolated var loop: any Loop { surroundings.network.loop }

    /// What others have told.
    struct Findings {
        /// The lines that the disk has not; nil for none.
        var lines: RegainedLines?
        /// Whether somebody captions in the host's place.
        var isCaptioned = false
    }

    /// - Parameters:
    ///   - session: what the host goes on with.
    ///   - name: the host's machine for people, as those who are asked see it.
    ///   - security: how the host proves who it is; by its key it knows its own lines.
    ///   - code: what guests have to know to come in; nil where everybody may.
    ///   - server: keeps the event, too; nil for none.
    /// - Returns: nil where nothing can be missing, nor anybody caption: the host stopped in good order and
    ///   has let in nobody else, or has signed nothing; or where the log cannot be read, which is told
    ///   when it is resumed.
    init?(
        for session: StoredSession, named name: String, by security: HostSecurity,
        code: EventCode?, at server: BackboneServer?, in surroundings: any Surroundings
    ) {
        let record = session.record
        guard record.state == .running || record.writers?.isEmpty == false,
            record.writer == security.fingerprint,
            let newest = Self.newestLine(of: session)
        else { return nil }
        (self.session, self.name, self.newest) = (session, name, newest)
        backbone = server.flatMap { server in
            UUID(uuidString: record.session).map { BackbonePlace(server, of: $0) }
        }
        self.surroundings = surroundings
        var asked = GuestSecurity()
        asked.code = code
        asked.keys.pin = FingerprintPin(security.fingerprint.hex)
        self.security = asked
        let discovery = surroundings.discovery
        finder = HostFinder(
            discovery.browser(for: DiscoveredHost.serviceType), nil,
            holders: discovery.browser(for: DiscoveredHost.holderServiceType),
            probesHosts: false, over: surroundings.network)
    }

    /// What belongs to the loop goes on its thread.
    isolated deinit {}

    /// Of a log with gaps nobody knows what its lines hash to, and so which ones follow.
    private static func newestLine(of session: StoredSession) -> Int? {
        let log = session.files.log
        var survey = JournalSurvey(within: log.boundaries(of: session.record))
        do throws(SystemError) {
            try log.readAll { survey.read($0, at: $1) }
        } catch {
            return nil
        }
        return survey.gaps.isEmpty ? survey.lastSeq : nil
    }

    /// What others tell within ``Limits/recall``. To be called once.
    func findings() async -> Findings {
        await withCheckedContinuation { answer in
            self.answer = answer
            begin()
        }
    }

    private func begin() {
        deadline = loop.schedule(after: Limits.recall) { [unowned self] in finish() }
        finder.changed = { [unowned self] in lookAround() }
        finder.start(listening: false)
        (session.record.holders ?? []).compactMap { Endpoint($0) }.forEach { ask(.network($0)) }
        if backbone != nil { ask(.backbone) }
    }

    private func lookAround() {
        finder.hosts.filter { $0.session == session.record.session }.flatMap(\.holders).forEach {
            ask(.network($0))
        }
        finishIfDone()
    }

    /// There is nobody else to be asked once the network has told of everybody.
    private func finishIfDone() {
        let hasLooked = finder.isSettled || finder.unavailable != nil
        if hasLooked, asking.isEmpty { finish() }
    }

    private func finish() {
        guard let answer else { return }
        (self.answer, deadline) = (nil, nil)
        finder.changed = {}
        finder.stop()
        let left = asking.values
        asking = [:]
        Task { for guest in left { await guest.stop() } }
        answer.resume(returning: found)
    }

    // MARK: Asking one

    private func ask(_ place: Destination) {
        guard answer != nil, asked.count < Limits.nodes, asked.insert(place).inserted,
            let guest = try? Guest(
                configuration(for: place), keeping: Replica(), in: surroundings)
        else { return }
        asking[place] = guest
        Task { await hear(guest, at: place) }
    }

    private func configuration(for place: Destination) -> GuestConfiguration {
        var endpoints: [Endpoint] = []
        if case .network(let endpoint) = place { endpoints = [endpoint] }
        var configuration = GuestConfiguration(
            target: .endpoints(endpoints, name: "\(place)"), displayName: name)
        if place == .backbone { configuration.backbone = backbone }
        configuration.session.reconnects = false
        configuration.session.resume = Handshake.Resume(
            session: session.record.session, after: newest,
            run: session.record.sessionRuns?.current)
        configuration.security = security
        configuration.usesBluetooth = false
        return configuration
    }

    /// What somebody has said long ago may be told by others as their newest word of him.
    private func isCaptioned(_ guest: Guest) async -> Bool {
        let session = session.record.session
        return await guest.airClaims(besides: session, around: session).contains {
            $0.isFresh && $0.air > 0 && abs($0.time - loop.wall) < Limits.airPatience.seconds
        }
    }

    private func hear(_ guest: Guest, at place: Destination) async {
        await guest.start()
        for await batch in guest.events where batch.contains(where: \.tellsOfEverything) { break }
        if let lines = await guest.held(after: newest), lines.outnumber(found.lines) {
            found.lines = lines
        }
        if await isCaptioned(guest) { found.isCaptioned = true }
        await guest.stop()
        guard asking.removeValue(forKey: place) != nil else { return }
        finishIfDone()
    }
}

extension HostConfiguration {
    /// Asks those who hold a session that goes on for lines that this machine has lost, and whether anybody
    /// captions in its place, two seconds at most; a host that stopped in good order has lost none. To be called before the host is made.
    ///
    /// - Parameters:
    ///   - code: what guests have to know to come in; nil where everybody may.
    ///   - thread: the loop to run on; one of the search's own by default.
    public mutating func regainLostLines(code: EventCode?, on thread: LoopThread? = nil) async {
        if let surroundings = try? SystemSurroundings.system(on: thread) {
            await regainLostLines(code: code, in: surroundings)
        }
    }

    package mutating func regainLostLines(
        code: EventCode?, in surroundings: any Surroundings
    ) async {
        guard case .resumed(let stored) = storage,
            let search = LostLineSearch(
                for: stored, named: deviceName, by: security, code: code, at: backbone,
                in: surroundings)
        else { return }
        let found = await search.findings()
        beginsOffAir = found.isCaptioned
        guard let lines = found.lines else { return }
        regained = lines
        // A disk that has an old copy lacks the runs since, whose numbers are used.
        storage = .resumed(stored.having(lines.runs))
    }
}

extension GuestEvent {
    /// Whether all that was there has come.
    fileprivate var tellsOfEverything: Bool {
        switch self {
        case .state(.live), .state(.silent), .state(.stalled), .state(.unheard): true
        default: false
        }
    }
}
