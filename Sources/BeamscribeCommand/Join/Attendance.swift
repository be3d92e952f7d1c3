import Beamscribe
import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials
import Logging

/// What `join` does: finds the event and takes part in it, and goes on to the next host where one
/// turned out not to be meant, or not to be trusted.
struct Attendance {
    private typealias Target = GuestConfiguration.Target

    /// How often JSON tells how the guest fares.
    private static let statisticsInterval: Duration = .seconds(10)

    let command: JoinCommand
    let preferences: ReaderPreferences
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

    // MARK: Finding

    /// What the host's key is remembered under where it is joined by its address.
    private var identity: String? { command.host.flatMap { HostAddress($0)?.identity } }

    private func find(
        not others: Set<String>, endsWithNobody: Bool
    ) async throws -> HostSelection.Outcome {
        if let host = command.host, let address = HostAddress(host) {
            if endsWithNobody { return .nobody }
            return .found(.endpoints(try await address.resolve(), name: host))
        }
        return try await HostSelection(
            name: command.event, others: others, timeout: command.searchTimeout,
            expectation: await trust.expectation, endsWithNobody: endsWithNobody,
            bluetooth: command.bluetooth.bus, console: console, logger: command.verbosity.logger()
        ).run(on: thread, signals: signals)
    }

    // MARK: Taking part

    /// Takes part in an event, with a code where that is asked for.
    private func takePart(in target: Target) async throws -> Part {
        let display = newDisplay()
        var demand = try await trust.demand(of: target, at: identity)
        while let asked = demand {
            let outcome = try await takePart(in: target, asking: asked, display)
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
        let failure = outcome.flatMap { Failure($0, host: command.host ?? command.event) }
        if let failure { throw failure }
    }

    private func newDisplay() -> LiveDisplay? {
        console.map {
            LiveDisplay(console: $0, preferences: preferences, outputs: outputs)
        }
    }

    private func takePart(
        in target: Target, asking security: GuestSecurity, _ display: LiveDisplay?
    ) async throws -> GuestOutcome? {
        let folder = StateFolder(environment: ProcessInfo.processInfo.environment)
        let device = (try? folder.claimDeviceID()) ?? .temporary()
        defer { withExtendedLifetime(device) {} }
        let guest = try Guest(await configuration(target, device, security), on: thread)
        let ending = Task { for await _ in signals.ending.listen() { await guest.stop() } }
        defer { ending.cancel() }
        await guest.start()
        let announcer = Announcer(
            isPlainTerminal: command.output.isPlainTerminal, logger: command.verbosity.logger())
        let watch = await watchRivals(of: guest, target) { sentence in
            if let display {
                await display.warn(sentence)
            } else {
                announcer.tell(.warning, sentence)
            }
        }
        defer { watch?.cancel() }
        if let display { return await display.run(guest, signals: signals) }
        return try await LinePrinter(command.output.format, outputs: outputs, announcer: announcer)
            .run(guest)
    }

    private func configuration(
        _ target: Target, _ device: DeviceID, _ security: GuestSecurity
    ) async -> GuestConfiguration {
        var session = GuestSession.Configuration(displayName: HostNameResolver.ownName)
        (session.start, session.resume) = await outputs.start { start(after: $0) }
        session.reconnects = !command.noReconnect
        if case .host(let found) = target, found.instanceName == nil {
            session.wantedEvent = command.event
        }
        var configuration = GuestConfiguration(
            target: target, session: session, device: DeviceSecret(device.id), security: security)
        configuration.searchTimeout = command.searchTimeout
        configuration.statistics =
            command.output.format == .jsonl ? Self.statisticsInterval : nil
        configuration.usesBluetooth = !command.bluetooth.noBle
        configuration.bluetoothBus = command.bluetooth.address
        return configuration
    }

    /// Where to begin. A file that goes on must get all that it lacks, whatever else is asked for.
    private func start(
        after saved: Handshake.Resume?
    ) -> (GuestSession.Start, resume: Handshake.Resume?) {
        if let saved, command.noHistory || saved.after < command.from ?? 0 {
            return (.beginning, saved)
        }
        return (command.noHistory ? .next : command.from.map { .line($0) } ?? .beginning, nil)
    }

    private func watchRivals(
        of guest: Guest, _ target: Target, _ tell: @escaping @Sendable (String) async -> Void
    ) async -> Task<Void, any Error>? {
        guard case .host(let host) = target, !command.security.insecure else { return nil }
        let watch = RivalWatch(host: host, expectation: await trust.expectation)
        return Task { [thread] in try await watch.run(for: guest, on: thread, tell) }
    }
}
