import Beamscribe
import BeamscribeCore
import BeamscribeIO
import BeamscribeTerminal

/// Shows an event on a terminal: finals scroll, open lines stand below them, a status row last.
actor LiveDisplay {
    private let console: Console
    private let outputs: GuestOutputs
    private var view = LiveView(size: Console.size, style: Console.style)
    private var status = LiveStatus()
    /// The right side of the status row as it was last drawn.
    private var shown = ""
    /// What the reader was told of the host last.
    private var told: ConnectionSecurity?

    init(console: Console, outputs: GuestOutputs) {
        self.console = console
        self.outputs = outputs
    }

    /// Shows until the guest is done or the user leaves.
    func run(_ guest: Guest, signals: Signals) async throws -> GuestOutcome? {
        let keys = Task {
            for await key in console.keys.listen() where key == .character("q") || key == .interrupt
            {
                await guest.stop()
            }
        }
        let changes = Task {
            for await signal in signals.terminalChanges.listen() { await terminalChanged(signal) }
        }
        // What the status row says grows old by itself: "silent for 12 s".
        let seconds = Task {
            while !Task.isCancelled {
                try await Task.sleep(for: .seconds(1))
                secondPassed()
            }
        }
        defer {
            keys.cancel()
            changes.cancel()
            seconds.cancel()
        }
        draw()
        for await batch in guest.events {
            do {
                try await show(batch)
            } catch {
                await guest.stop()
                write(view.finish())
                throw error
            }
        }
        write(view.finish())
        let outcome = await guest.outcome
        await outputs.finish(outcome)
        return outcome
    }

    private func secondPassed() {
        if status.right(at: Clock.wall) != shown { draw() }
    }

    private func show(_ batch: [GuestEvent]) async throws {
        try await outputs.write(batch)
        batch.forEach(take)
        draw()
    }

    private func take(_ event: GuestEvent) {
        status.take(event, at: Clock.wall)
        switch event {
        case .line(let line):
            view.setPartial(nil, line: line.line)
            let mark = line.replaces.map { "[corrects line \($0)] " } ?? ""
            view.add(line: mark + line.spokenText)
        case .partial(let partial):
            view.setPartial(
                partial.text.isEmpty ? nil : partial.spokenText, line: partial.line)
        case .alert(_, let message): view.add(notice: message)
        case .gap(let from, let through):
            view.add(notice: "Lines \(from) to \(through) are no longer at the host.")
        case .withdrawn(let from, let through):
            view.add(
                notice: "The host has lost lines \(from) to \(through) when it went down; what "
                    + "follows has their numbers.")
        case .joined(let event): take(event.security)
        case .state, .stillLost, .trouble: break
        }
    }

    /// A host's key is news once, and a warning stays in sight.
    private func take(_ security: ConnectionSecurity) {
        guard SecurityWords.isNotable(security), security != told else { return }
        told = security
        view.add(notice: SecurityWords.sentence(security))
    }

    private func terminalChanged(_ signal: SignalSource.Signal) async {
        if signal == .continued {
            await console.resume()
            write(view.finish())
        }
        view.resize(Console.size)
        draw()
    }

    private func draw() {
        shown = status.right(at: Clock.wall)
        view.setStatus(left: status.left, right: shown)
        write(view.render())
    }

    private func write(_ text: String) {
        // A terminal that is gone sends a hang-up, which ends the program.
        if !text.isEmpty { try? Terminal.write(text, to: .output) }
    }
}
