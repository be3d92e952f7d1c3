import BeamscribeIO
import BeamscribeTerminal
import Synchronization

/// The operator's terminal and what is drawn on it, for whoever has something to show or to say.
///
/// Invariant: nothing is written, and the terminal's mode is not touched, while the program is in
/// the background; between two calls the screen shows the last content, or nothing.
final class ConsoleScreen: Sendable {
    private let terminal: ConsoleTerminal
    /// The widths of characters on it.
    let counting = TerminalCounting()
    private let state: Mutex<State>

    private struct State {
        var screen: OperatorScreen
        /// The terminal is ours, for now.
        var isAttached = false
        var isFinished = false
    }

    /// What the keys of the terminal do.
    let kind: ConsoleKind

    init(_ terminal: ConsoleTerminal, _ kind: ConsoleKind) {
        self.terminal = terminal
        self.kind = kind
        let screen = OperatorScreen(size: counting.size(terminal.size), style: Console.style)
        state = Mutex(State(screen: screen))
    }

    /// Begins to draw, or takes note that the user works with something else now.
    ///
    /// - Returns: whether the terminal is ours.
    @discardableResult
    func attach() -> Bool {
        state.withLock { state in
            guard !state.isFinished, terminal.isInForeground else {
                // What was drawn is the shell's to write over.
                if state.isAttached { _ = state.screen.finish() }
                state.isAttached = false
                return false
            }
            guard !state.isAttached else { return true }
            terminal.takeKeys()
            terminal.write(state.screen.begin)
            state.isAttached = true
            return true
        }
    }

    /// A shell had the terminal in between: its mode is another, and so may be its size.
    func reattach() {
        state.withLock { state in
            if state.isAttached, terminal.isInForeground { terminal.write(state.screen.finish()) }
            state.isAttached = false
        }
        attach()
    }

    func show(_ content: OperatorContent) { draw { $0.show(content) } }

    /// Writes whole lines above what is drawn; false where nothing is.
    func print(_ text: String) -> Bool { draw { $0.print(text) } }

    func resize() { draw { $0.redraw(counting.size(terminal.size)) } }

    @discardableResult
    private func draw(_ text: (inout OperatorScreen) -> String) -> Bool {
        state.withLock { state in
            guard state.isAttached else { return false }
            state.screen.ask(counting.questions(counting.size(terminal.size)))
            terminal.write(text(&state.screen))
            return true
        }
    }

    /// Leaves the terminal as it was found, for good.
    func finish() {
        state.withLock { state in
            detach(&state)
            state.isFinished = true
        }
    }

    /// Gives the terminal to the shell until the user goes on. Nobody draws before that.
    func suspend() {
        state.withLock { state in
            detach(&state)
            terminal.suspend()
        }
    }

    private func detach(_ state: inout State) {
        guard state.isAttached else { return }
        terminal.write(state.screen.finish())
        terminal.giveBack()
        state.isAttached = false
    }
}
