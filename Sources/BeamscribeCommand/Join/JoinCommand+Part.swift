import Beamscribe
import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials
import Logging

extension JoinCommand {
    /// What came of a try to take part in an event.
    enum Part {
        case over
        /// It is another event than the one that was asked for.
        case anotherEvent
        /// The host is not to be trusted.
        case refused(SecurityRefusal)
    }

    /// Takes part in an event, with a code where that is asked for.
    func take(
        part target: GuestConfiguration.Target, _ trust: JoinSecurity, _ thread: LoopThread,
        _ signals: Signals, _ display: LiveDisplay?, _ outputs: GuestOutputs
    ) async throws -> Part {
        var demand = try await trust.demand(of: target, at: identity)
        while let asked = demand {
            let outcome = try await take(
                part: target, asking: asked, await trust.expectation, thread, signals, display,
                outputs)
            switch outcome {
            case .anotherEvent?: return .anotherEvent
            case .distrusted(let refusal)?:
                if refusal.isAboutHost { return .refused(refusal) }
                demand = try await trust.demand(of: target, at: identity, after: refusal)
                if demand == nil, await !trust.hasBeenLeft { throw Failure(refusal) }
            default:
                let failure = outcome.flatMap { Failure($0, host: host ?? event) }
                if let failure { throw failure }
                return .over
            }
        }
        return .over
    }

    func take(
        part target: GuestConfiguration.Target, asking security: GuestSecurity,
        _ expectation: HostExpectation, _ thread: LoopThread, _ signals: Signals,
        _ display: LiveDisplay?, _ outputs: GuestOutputs
    ) async throws -> GuestOutcome? {
        var (session, device) = await sessionConfiguration(outputs)
        if case .host(let found) = target, found.instanceName == nil { session.wantedEvent = event }
        var configuration = GuestConfiguration(
            target: target, session: session, device: DeviceSecret(device.id), security: security)
        configuration.searchTimeout = searchTimeout
        configuration.statistics = output.format == .jsonl ? Self.statisticsInterval : nil
        configuration.usesBluetooth = !bluetooth.noBle
        configuration.bluetoothBus = bluetooth.address
        let guest = try guest(configuration, on: thread)
        let ending = Task { for await _ in signals.ending.listen() { await guest.stop() } }
        defer { ending.cancel() }
        await guest.start()
        let announcer = Announcer(
            isPlainTerminal: output.isPlainTerminal, logger: verbosity.logger())
        let watch = watchRivals(of: guest, target, expectation, thread) { sentence in
            if let display {
                await display.warn(sentence)
            } else {
                announcer.tell(.warning, sentence)
            }
        }
        defer { watch?.cancel() }
        let outcome: GuestOutcome?
        if let display {
            outcome = try await display.run(guest, signals: signals)
        } else {
            let printer = LinePrinter(output.format, outputs: outputs, announcer: announcer)
            outcome = try await printer.run(guest)
        }
        withExtendedLifetime(device) {}
        return outcome
    }

    private func watchRivals(
        of guest: Guest, _ target: GuestConfiguration.Target, _ expectation: HostExpectation,
        _ thread: LoopThread, _ tell: @escaping @Sendable (String) async -> Void
    ) -> Task<Void, any Error>? {
        guard case .host(let host) = target, !security.insecure else { return nil }
        let watch = RivalWatch(host: host, expectation: expectation)
        return Task { try await watch.run(for: guest, on: thread, tell) }
    }

    private func guest(
        _ configuration: GuestConfiguration, on thread: LoopThread
    ) throws -> Guest {
        do throws(StartError) {
            return try Guest(configuration, on: thread)
        } catch .cannotBegin(let error) {
            throw error
        } catch {
            throw Failure(.system, "\(error). `beamscribe doctor` checks this machine.")
        }
    }

    private func sessionConfiguration(
        _ outputs: GuestOutputs
    ) async -> (GuestSession.Configuration, DeviceID) {
        let folder = StateFolder(environment: ProcessInfo.processInfo.environment)
        let device = (try? folder.claimDeviceID()) ?? .temporary()
        var session = GuestSession.Configuration(displayName: HostNameResolver.ownName)
        session.start = start(after: await outputs.lastLine)
        session.reconnects = !noReconnect
        return (session, device)
    }

    /// Where to begin. A file that goes on must get all that it lacks, whatever else is asked for.
    private func start(after saved: Int?) -> GuestSession.Start {
        let next = saved.map { $0 + 1 }
        if noHistory { return next.map { .line($0) } ?? .next }
        return from.map { .line(min($0, next ?? $0)) } ?? .beginning
    }
}
