import BeamscribeCore
import BeamscribeIO
import BeamscribeTerminal
import FoundationEssentials
import Synchronization

/// Finds out how the terminal counts columns, once for all screens.
final class TerminalCounting: Sendable {
    /// Columns are counted in another way from now on.
    let changes = Broadcast<Void>()
    /// All answers are here.
    private let answered = Broadcast<Void>()
    private let inquiry: Mutex<WidthInquiry>

    /// - Parameter asks: whether the terminal may be asked.
    init(asks: Bool = TerminalCounting.mayAsk) {
        inquiry = Mutex(WidthInquiry(asks: asks))
    }

    /// Whether answers would come back to this program, from a terminal that understands questions.
    static var mayAsk: Bool {
        [.input, .output].allSatisfy(Terminal.isTerminal)
            && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    private static var now: Double { Clock.uptime.seconds }

    /// A screen's size, with how its columns are counted; nil for a terminal that does not say.
    func size(_ size: (columns: Int, rows: Int)? = Terminal.size) -> TerminalSize {
        let widths = inquiry.withLock { $0.widths }
        return TerminalSize(
            columns: size?.columns ?? 80, rows: size?.rows ?? 24, widths: widths)
    }

    /// Returns the questions for the next drawing; empty if there are none.
    func questions(_ size: TerminalSize) -> String {
        inquiry.withLock { $0.questions(size, at: Self.now) }
    }

    /// Takes the terminal's answers out of what it has sent.
    ///
    /// - Returns: the keys.
    func take(_ keys: [Key]) -> [Key] {
        keys.filter { key in
            guard case .cursorAt(let row, let column) = key else { return true }
            let (isChanged, isWaiting) = inquiry.withLock { inquiry in
                let isChanged = inquiry.take(row: row, column: column, at: Self.now)
                return (isChanged, inquiry.isWaiting(at: Self.now))
            }
            if isChanged { changes.send(()) }
            if !isWaiting { answered.send(()) }
            return false
        }
    }

    /// Waits for answers that are on their way: a shell would take them for what its user types.
    func settle() async {
        let answers = answered.listen()
        guard let patience = inquiry.withLock({ $0.patience(at: Self.now) }) else { return }
        await withTaskGroup { group in
            group.addTask { for await _ in answers { return } }
            group.addTask { try? await Task.sleep(for: .seconds(saturating: patience)) }
            await group.next()
            group.cancelAll()
        }
    }
}
