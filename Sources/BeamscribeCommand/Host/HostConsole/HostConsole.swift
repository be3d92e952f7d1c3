import Beamscribe
import BeamscribeCore
import BeamscribeIO
import BeamscribeTerminal

/// The operator's terminal: its keys go to the desk, and what is to be seen there is shown.
actor HostConsole {
    private let desk: OperatorDesk
    private let screen: ConsoleScreen
    private let keys: KeySource
    private var tasks: [Task<Void, Never>] = []

    init(_ desk: OperatorDesk, on screen: ConsoleScreen, _ keys: KeySource) {
        (self.desk, self.screen, self.keys) = (desk, screen, keys)
    }

    /// Takes the terminal, while the program is in the foreground.
    func start(_ signals: Signals) async {
        ConsoleTerminal.ignoreStops()
        TerminalOwner.set(screen)
        let counts = screen.counting.changes.listen()
        await look()
        tasks = [
            Task { while let keys = await keys.next() { await take(keys) } },
            Task {
                for await signal in signals.terminalChanges.listen() {
                    await terminalChanged(signal)
                }
            },
            Task { for await _ in counts { screen.resize() } },
            Task {
                while (try? await Task.sleep(for: Limits.consoleInterval)) != nil { await look() }
            },
        ]
    }

    /// Leaves the terminal as it was found.
    func stop() async {
        tasks.forEach { $0.cancel() }
        await keys.stop()
        screen.finish()
        TerminalOwner.set(nil)
    }

    private func take(_ keys: [Key]) async {
        // What was pressed before the shell is wanted comes before it.
        for part in keys.split(separator: .control("z"), omittingEmptySubsequences: false)
            .enumerated()
        {
            if part.offset > 0 { screen.suspend() }
            if !part.element.isEmpty { await desk.take(Array(part.element)) }
        }
        await draw()
    }

    private func terminalChanged(_ signal: SignalSource.Signal) async {
        if signal == .continued { screen.reattach() } else { screen.resize() }
        await look()
    }

    /// A program in the background must leave the terminal alone, until it is back.
    private func look() async {
        await desk.tick()
        if screen.attach() { await keys.start() } else { await keys.rest() }
        await draw()
    }

    private func draw() async { screen.show(await desk.content()) }
}
