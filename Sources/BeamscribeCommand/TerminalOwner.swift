import BeamscribeIO
import Synchronization

/// Who writes to the terminal: one console, where there is one, so that what is said never tears
/// what is drawn; or else everybody for himself.
enum TerminalOwner {
    private static let console = Mutex<ConsoleScreen?>(nil)

    /// From now on a console draws on the terminal; nil for no more.
    static func set(_ screen: ConsoleScreen?) {
        console.withLock { $0 = screen }
    }

    /// Writes whole lines to a standard stream: above what is drawn, where that is the console's
    /// terminal, and else as they are.
    static func write(_ text: String, to stream: Terminal.Stream) throws(SystemError) {
        let screen = console.withLock { $0 }
        if let screen, Terminal.isControlling(stream), screen.print(text) { return }
        try Terminal.write(text, to: stream)
    }
}
