import Beamscribe
import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials
import Logging

/// What `join` and `relay` do: finds the event and takes part in it, and goes on to the next host where one
/// turned out not to be meant, or not to be trusted.
struct Attendance {
    private typealias Target = GuestConfiguration.Target

    /// How often JSON tells how the guest fares.
    private static let statisticsInterval: Duration = .seconds(10)

    let visit: Visit
    /// Nil where captions are not shown.
    let preferences: ReaderPreferences?
    let thread: LoopThread
    let signals: Signals
    /// Nil where captions are not shown on a terminal.
    let console: Console?
    let trust: JoinSecurity
    let outputs: GuestOutputs

    /// What came of a try to take part in an event.
    private enum Part {
        case over
        /// It is another event than the one that was asked for.
        case anotherEvent
        /// The host is not to be trusted.
        case refused(SecurityRefusal)
    }

    /// A host that was found and not trusted.
    private struct Refused {
        let target: Target
        let refusal: SecurityRefusal

        /// Names it, where others may be right.
        func say() {
            guard case .host(let host) = target else { return }
            BeamscribeCommand.say("warning: \(refusal.passedOver(at: host.place))")
        }
    }

    func run() async throws {
        if try await goOnWithKept() { return }
        // Hosts that turned out not to be meant, or not to be trusted.
        var others: Set<String> = []
        var refused: Refused?
        while true {
            let target: Target
            switch try await find(not: others, endsWithNobody: refused != nil) {
            case .found(let found): target = found
            case .left: return
            case .nobody:
                if let refused { try await takePart(against: refused) }
                return
            }
            refused?.say()
            refused = nil
            switch try await takePart(in: target) {
            case .over: return
            case .refused(let refusal):
                refused = Refused(target: target, refusal: refusal)
                fallthrough
            case .anotherEvent:
                if case .host(let host) = target { others.insert(host.id) }
            }
        }
    }

    // MARK: Going on

    /// Goes on with what an earlier program has kept of the event, whether or not anybody is there.
    ///
    /// - Returns: whether that was it.
    private func goOnWithKept() async throws -> Bool {
        guard let serving = visit.serving?.options, serving.keeps else { return false }
        let store = SessionStore(in: folder)
        store.forgetExpired()
        guard !serving.new else { return false }
        DamagedSessionWords.warn(of: store)
        let expectation = await trust.expectation
        let wanted = KeptEvent(
            name: visit.event, address: visit.host, pin: expectation.pin,
            hasCode: expectation.hasCode == true)
        guard let entries = try? store.list(),
            let session = wanted.find(among: entries, now: Clock.wall)?.record.session,
            let kept = try? store.openHeld(session), await outputs.mayGoOn(with: session)
        else { return false }
        do {
            _ = try await takePart(in: target(goingOnWith: kept.record), after: kept)
            return true
        } catch let useless as KeptIsUseless {
            say("warning: \(useless.why)")
            return false
        }
    }

    /// Where it was joined by its address that may have become another event's; else its session is
    /// looked for.
    private func target(goingOnWith record: SessionRecord) async throws -> Target {
        if let host = visit.host, let address = HostAddress(host) {
            return .endpoints(try await address.resolve(), name: host)
        }
        return .host(
            DiscoveredHost(
                kept: record.session, called: SafeText.line(record.eventName),
                hasCode: record.hasCode == true))
    }

    private var folder: StateFolder {
        StateFolder(environment: ProcessInfo.processInfo.environment)
    }

    // MARK: Finding

    /// What the host's key is remembered under where it is joined by its address.
    private var identity: String? { visit.host.flatMap { HostAddress($0)?.identity } }

    private func find(
        not others: Set<String>, endsWithNobody: Bool
    ) async throws -> HostSelection.Outcome {
        if let host = visit.host, let address = HostAddress(host) {
            if endsWithNobody { return .nobody }
            return .found(.endpoints(try await address.resolve(), name: host))
        }
        if let server = visit.backbone, let event = visit.event {
            return try await find(event, at: server, endsWithNobody)
        }
        return try await HostSelection(
            name: visit.event, others: others, timeout: visit.searchTimeout,
            expectation: await trust.expectation, endsWithNobody: endsWithNobody,
            bluetooth: visit.bluetooth.bus, console: console, logger: visit.logger
        ).run(on: thread, signals: signals)
    }

    /// Looks for it at a server that keeps events. It is looked for on the network as well once it is known which
    /// one it is.
    private func find(
        _ event: String, at server: BackboneServer, _ endsWithNobody: Bool
    ) async throws -> HostSelection.Outcome {
        if endsWithNobody { return .nobody }
        let selection = BackboneSelection(
            server: server, name: event, timeout: visit.searchTimeout, logger: visit.logger)
        guard let found = try await selection.run(on: thread, signals: signals) else {
            return .left
        }
        return .found(
            .host(
                DiscoveredHost(
                    kept: found.id.wireName, called: found.name, hasCode: found.hasCode)))
    }

    // MARK: Taking part

    /// Takes part in an event, with a code where that is asked for.
    ///
    /// - Parameter kept: what is gone on with; nil to begin with nothing.
    private func takePart(in target: Target, after kept: StoredSession? = nil) async throws -> Part
    {
        let display = newDisplay()
        var demand = try await trust.demand(of: target, at: identity)
        while let asked = demand {
            let outcome = try await takePart(in: target, asking: asked, after: kept, display)
            switch outcome {
            case .anotherEvent?: return .anotherEvent
            case .anotherSession? where await outputs.isOfAnotherEvent():
                // Nothing was shown yet, and this event gets a file of its own.
                break
            case .distrusted(let refusal)?:
                if refusal.isAboutHost { return .refused(refusal) }
                demand = try await trust.demand(of: target, at: identity, after: refusal)
                if demand == nil, await !trust.hasBeenLeft { throw Failure(refusal) }
            default:
                try end(outcome)
                return .over
            }
        }
        return .over
    }

    /// Nobody else is there: the user may say yes to the last one all the same.
    private func takePart(against last: Refused) async throws {
        let display = newDisplay()
        guard
            let asked = await trust.demand(of: last.target, at: identity, against: last.refusal)
        else { throw Failure(last.refusal) }
        try end(try await takePart(in: last.target, asking: asked, display))
    }

    private func end(_ outcome: GuestOutcome?) throws {
        let failure = outcome.flatMap { Failure($0, host: visit.host ?? visit.event) }
        if let failure { throw failure }
    }

    private func newDisplay() -> LiveDisplay? {
        guard let console, let preferences else { return nil }
        return LiveDisplay(console: console, preferences: preferences, outputs: outputs)
    }

    private func takePart(
        in target: Target, asking security: GuestSecurity, after kept: StoredSession? = nil,
        _ display: LiveDisplay?
    ) async throws -> GuestOutcome? {
        let device = (try? folder.claimDeviceID()) ?? .temporary()
        defer { withExtendedLifetime(device) {} }
        var configuration = await configuration(target, device, security)
        configuration.holding = try await visit.serving?.configuration(
            for: security, of: device, in: folder)
        configuration.holding?.keeping = visit.serving?.keeping(
            in: folder, at: visit.host, after: kept)
        let talker = try visit.talk?()
        configuration.intercom = talker?.intercom
        let guest = try Self.guest(configuration, on: thread)
        let ending = Task {
            for await _ in signals.ending.listen() {
                if let contribution = visit.contribution {
                    await contribution.leave(guest)
                } else {
                    await guest.stop()
                }
            }
        }
        defer { ending.cancel() }
        await guest.start()
        let announcer = Announcer(
            isPlainTerminal: visit.isPlainTerminal, logger: visit.logger)
        let warn: @Sendable (String) async -> Void = { sentence in
            if let display {
                await display.warn(sentence)
            } else {
                announcer.tell(.warning, sentence)
            }
        }
        let watch = await watchRivals(of: guest, target, warn)
        defer { watch?.cancel() }
        async let failure = report(guest, hasCode: security.code != nil, display, announcer)
        let outcome = await Result {
            if let contribution = visit.contribution { return try await contribution.run(guest) }
            if let talker { return try await talker.run(guest) }
            if let display { return await display.run(guest, signals: signals) }
            return try await LinePrinter(visit.format, outputs: outputs, announcer: announcer)
                .run(guest)
        }
        // Whoever reads from here is given the rest.
        if let failure = await failure { throw failure }
        let met = await guest.hasConnected
        if let kept, !met { try checkIsThere(kept.record, after: try outcome.get()) }
        return try outcome.get()
    }

    private static func guest(
        _ configuration: GuestConfiguration, on thread: LoopThread
    ) throws -> Guest {
        do throws(StartError) {
            return try Guest(configuration, on: thread)
        } catch .cannotTakeUp(let trouble) {
            throw KeptIsUseless(why: HolderReporter.sentence(trouble))
        }
    }

    /// Whoever was asked for what goes on from there had something else.
    private func checkIsThere(_ kept: SessionRecord, after outcome: GuestOutcome?) throws {
        switch outcome {
        case .anotherSession?, .anotherEvent?, .protocolViolation?, .forked?: break
        case .distrusted(let refusal)? where refusal.isAboutHost: break
        default: return
        }
        throw KeptIsUseless(
            why: "What this machine has kept of \"\(SafeText.line(kept.eventName))\" is of another "
                + "event than what is there now; it stays in `beamscribe sessions`.")
    }

    /// Tells what becomes of serving the event to others, until the last of them has gone.
    ///
    /// - Returns: why that was not done, where nothing else was to be.
    private func report(
        _ guest: Guest, hasCode: Bool, _ display: LiveDisplay?, _ announcer: Announcer
    ) async -> Failure? {
        var reporter = HolderReporter(
            isRelay: visit.serving?.role == .relay, keptFor: visit.serving?.options.keepFor)
        var page = visit.page.map { RelayPage($0, of: guest, hasCode: hasCode, visit.logger) }
        for await batch in guest.news {
            for news in batch {
                if case .listening = news { await page?.begin() }
                guard let said = reporter.words(for: news) else { continue }
                if let display {
                    if said.isNotice { await display.warn(said.sentence) }
                } else {
                    announcer.tell(said.level, said.sentence)
                }
            }
            if reporter.failure ?? page?.failure != nil { await guest.stop() }
        }
        await page?.end()
        return reporter.failure ?? page?.failure
    }

    private func configuration(
        _ target: Target, _ device: DeviceID, _ security: GuestSecurity
    ) async -> GuestConfiguration {
        var session = GuestSession.Configuration(
            displayName: visit.displayName ?? HostNameResolver.ownName)
        (session.start, session.resume) = await outputs.start { start(after: $0) }
        session.reconnects = visit.reconnects
        if case .host(let found) = target, found.instanceName == nil {
            session.wantedEvent = visit.event
        }
        var configuration = GuestConfiguration(
            target: target, session: session, device: DeviceSecret(device.id), security: security)
        configuration.searchTimeout = visit.searchTimeout
        if let server = visit.backbone, case .host(let found) = target,
            let event = found.session.flatMap({ UUID(uuidString: $0) })
        {
            configuration.backbone = BackbonePlace(server, of: event)
        }
        configuration.statistics =
            visit.format == .jsonl ? Self.statisticsInterval : nil
        configuration.usesBluetooth = !visit.bluetooth.noBle
        configuration.bluetoothBus = visit.bluetooth.address
        return configuration
    }

    /// Where to begin. A file that goes on must get all that it lacks, whatever else is asked for.
    private func start(
        after saved: Handshake.Resume?
    ) -> (GuestSession.Start, resume: Handshake.Resume?) {
        if let saved, visit.start == .next || saved.after < visit.firstLine {
            return (.beginning, saved)
        }
        return (visit.start, nil)
    }

    private func watchRivals(
        of guest: Guest, _ target: Target, _ tell: @escaping @Sendable (String) async -> Void
    ) async -> Task<Void, any Error>? {
        guard case .host(let host) = target, !visit.insecure else { return nil }
        let watch = RivalWatch(host: host, expectation: await trust.expectation)
        return Task { [thread] in try await watch.run(for: guest, on: thread, tell) }
    }
}
