import BeamscribeCore
import BeamscribeIO
import BeamscribeTerminal

/// Asks for a code on the terminal, without showing what is typed, and whether a host is to be
/// trusted.
actor CodePrompt {
    private let signals: Signals
    /// Reads the keys already, where the terminal shows the captions.
    private let console: Console?

    private nonisolated let thread: LoopThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(on thread: LoopThread, _ signals: Signals, console: Console?) {
        self.thread = thread
        self.signals = signals
        self.console = console
    }

    private enum Step {
        case key(Key)
        case stopped
    }

    /// - Returns: what was typed; nil when the user has had enough.
    /// - Throws: ``Failure`` where there is no terminal to ask on.
    func ask(_ question: String) async throws -> String? {
        guard let terminal = try? ControllingTerminal() else {
            throw Failure(SecurityRefusal.codeNeeded)
        }
        return await ask(question, on: terminal, shows: false)
    }

    /// Asks a question to which only yes is yes.
    ///
    /// - Returns: nil where there is no terminal to ask on.
    func confirm(_ question: String) async -> Bool? {
        guard let terminal = try? ControllingTerminal() else { return nil }
        let answer = await ask(question, on: terminal, shows: true)
        return answer.map { ["y", "yes"].contains($0.lowercased()) } ?? false
    }

    private func ask(
        _ question: String, on terminal: ControllingTerminal, shows: Bool
    ) async -> String? {
        let ownConsole =
            console == nil ? Console(on: thread, reading: ControllingTerminal.path) : nil
        await ownConsole?.start()
        terminal.write(SafeText.line(question))
        let answer = await answer(of: console ?? ownConsole, shownOn: shows ? terminal : nil)
        terminal.write("\n")
        await ownConsole?.stop()
        return answer
    }

    private func answer(
        of console: Console?, shownOn terminal: ControllingTerminal?
    ) async -> String? {
        let (steps, continuation) = AsyncStream<Step>.makeStream()
        let keys = console?.keys.listen() ?? AsyncStream { $0.finish() }
        let ending = signals.ending
        let tasks = [
            Task { for await key in keys { continuation.yield(.key(key)) } },
            Task { for await _ in ending.listen() { continuation.yield(.stopped) } },
        ]
        defer { tasks.forEach { $0.cancel() } }
        var typed = ""
        for await step in steps {
            switch step {
            case .key(.enter): return typed
            case .key(.backspace):
                if typed.popLast() != nil { terminal?.write("\u{8} \u{8}") }
            case .key(.character(let character)):
                // More than a code can have is held by nobody.
                guard typed.utf8.count < 1_024 else { continue }
                typed.append(character)
                terminal?.write(String(character))
            case .key(.interrupt), .stopped: return nil
            case .key: break
            }
        }
        return nil
    }
}
