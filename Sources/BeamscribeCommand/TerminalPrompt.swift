import BeamscribeCore
import BeamscribeIO
import BeamscribeTerminal

/// Asks on the terminal that the user sits at: for a code, without showing what is typed, and
/// questions to which the answer is yes or no.
actor TerminalPrompt {
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
        case late
    }

    /// An answer to a question that has one by default.
    enum Choice {
        case yes, no
        /// Ctrl-C.
        case left
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

    /// Asks a question to which only no is no. Silence is yes after a while: nobody may be there.
    ///
    /// - Returns: nil where there is no terminal to ask on.
    func choose(_ question: String, within time: Duration) async -> Choice? {
        guard let terminal = try? ControllingTerminal() else { return nil }
        guard let answer = await ask(question, on: terminal, shows: true, within: time) else {
            return .left
        }
        return ["n", "no"].contains(answer.lowercased()) ? .no : .yes
    }

    private func ask(
        _ question: String, on terminal: ControllingTerminal, shows: Bool,
        within time: Duration? = nil
    ) async -> String? {
        let ownConsole =
            console == nil ? Console(on: thread, reading: ControllingTerminal.path) : nil
        await ownConsole?.start()
        terminal.write(SafeText.line(question))
        let answer = await answer(
            of: console ?? ownConsole, shownOn: shows ? terminal : nil, within: time)
        terminal.write("\n")
        await ownConsole?.stop()
        return answer
    }

    private func answer(
        of console: Console?, shownOn terminal: ControllingTerminal?, within time: Duration?
    ) async -> String? {
        let (steps, continuation) = AsyncStream<Step>.makeStream()
        let keys = console?.keys.listen() ?? AsyncStream { $0.finish() }
        let ending = signals.ending
        let tasks = [
            Task { for await key in keys { continuation.yield(.key(key)) } },
            Task { for await _ in ending.listen() { continuation.yield(.stopped) } },
        ]
        let deadline = time.map { thread.loop.schedule(after: $0) { continuation.yield(.late) } }
        defer {
            tasks.forEach { $0.cancel() }
            deadline?.cancel()
        }
        var typed = ""
        for await step in steps {
            switch step {
            case .key(.enter), .late: return typed
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
