import Beamscribe
import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO
import FoundationEssentials

extension JoinCommand {
    /// Takes part in an event, with another proof where the first is not enough.
    ///
    /// - Returns: false if it is another event than the one that was asked for.
    func take(
        part target: GuestConfiguration.Target, _ trust: JoinSecurity, _ thread: LoopThread,
        _ signals: Signals, _ display: LiveDisplay?, _ outputs: GuestOutputs
    ) async throws -> Bool {
        let identity = host.flatMap { HostAddress($0)?.identity }
        var demand = try await trust.demand(of: target, at: identity)
        while let asked = demand {
            let outcome = try await take(
                part: target, asking: asked, thread, signals, display, outputs)
            switch outcome {
            case .anotherEvent?: return false
            case .distrusted(let refusal)?:
                demand = try await trust.demand(after: refusal)
                if demand == nil, await !trust.hasBeenLeft { throw Failure(refusal) }
            default:
                let failure = outcome.flatMap { Failure($0, host: host ?? event) }
                if let failure { throw failure }
                return true
            }
        }
        return true
    }

    private func take(
        part target: GuestConfiguration.Target, asking security: GuestSecurity,
        _ thread: LoopThread, _ signals: Signals, _ display: LiveDisplay?, _ outputs: GuestOutputs
    ) async throws -> GuestOutcome? {
        var (session, device) = await sessionConfiguration(outputs)
        if case .host(let found) = target, found.instanceName == nil { session.wantedEvent = event }
        var configuration = GuestConfiguration(
            target: target, session: session, security: security)
        configuration.searchTimeout = searchTimeout
        configuration.statistics = output.format == .jsonl ? Self.statisticsInterval : nil
        configuration.usesBluetooth = !bluetooth.noBle
        configuration.bluetoothBus = bluetooth.address
        let guest = try guest(configuration, on: thread)
        let ending = Task { for await _ in signals.ending.listen() { await guest.stop() } }
        defer { ending.cancel() }
        await guest.start()
        let outcome: GuestOutcome?
        if let display {
            outcome = try await display.run(guest, signals: signals)
        } else {
            let announcer = Announcer(
                isPlainTerminal: output.isPlainTerminal, logger: verbosity.logger())
            let printer = LinePrinter(output.format, outputs: outputs, announcer: announcer)
            outcome = try await printer.run(guest)
        }
        withExtendedLifetime(device) {}
        return outcome
    }

    private func guest(
        _ configuration: GuestConfiguration, on thread: LoopThread
    ) throws -> Guest {
        do throws(GuestError) {
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
        var session = GuestSession.Configuration(
            deviceID: device.id, displayName: HostNameResolver.ownName)
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
