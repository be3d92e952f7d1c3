import Glibc
import Synchronization

/// A program on a real terminal's screen: a tmux server of its own, which ends with the last
/// reference or with the test process.
///
/// tmux cannot report changes to a waiting test, so ``waitForScreen(_:within:matching:)`` looks
/// again and again, with a deadline.
public final class TerminalSession: Sendable {
    private let tmux: Tmux
    private let isStopped = Mutex(false)
    private let afterDeath: Reaper.Ticket
    /// The program's process id.
    public let pid: Int32

    /// Starts `launch`, whose `input` and `output` do not matter, on a screen of the given size.
    public init(_ launch: Launch, columns: Int = 80, rows: Int = 24) async throws {
        tmux = try Tmux()
        afterDeath = Reaper.shared.register(tmux.stopCommand)
        // One sequence: a server without a session would end at once.
        try await tmux.run(
            ["start-server", ";"] + Tmux.settings
                + ["new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "--"]
                + (try Tmux.words(for: launch)))
        pid = Int32(try await tmux.value("pane_pid")) ?? -1
    }

    deinit {
        stop()
    }

    /// Whether tmux is there; without it tests on a terminal's screen can only be skipped.
    public static func unavailableReason() -> String? {
        Tool.exists("tmux") ? nil : "tmux is not installed"
    }

    /// Presses keys by their tmux names: "Enter", "Up", "PageDown", "C-c", "q".
    public func send(keys: String...) async throws {
        try await tmux.run(["send-keys", "--"] + keys)
    }

    /// Types text as it is.
    public func type(_ text: String) async throws {
        try await tmux.run(["send-keys", "-l", "--", text])
    }

    /// The rows of the screen from the top, without the spaces at their ends.
    public func screen(withScrollback: Bool = false) async throws -> [String] {
        try await capture(withScrollback ? ["-S", "-"] : [])
    }

    /// As ``screen(withScrollback:)``, with the escape sequences for colours and attributes.
    public func screenWithEscapes(withScrollback: Bool = false) async throws -> [String] {
        try await capture(["-e"] + (withScrollback ? ["-S", "-"] : []))
    }

    private func capture(_ options: [String]) async throws -> [String] {
        let text = try await tmux.run(["capture-pane", "-p"] + options)
        let rows = text.split(separator: "\n", omittingEmptySubsequences: false)
        return rows.dropLast().map(String.init)
    }

    /// A tmux format by its name, such as "cursor_x", "alternate_on" or "mouse_any_flag".
    public func value(_ name: String) async throws -> String {
        try await tmux.value(name)
    }

    public func resize(columns: Int, rows: Int) async throws {
        try await tmux.run(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// Waits until the screen `matches`, and answers it.
    @discardableResult
    nonisolated(nonsending) public func waitForScreen(
        _ what: String = "a matching screen",
        within limit: Duration = Deadline.generous,
        matching matches: ([String]) -> Bool
    ) async throws -> [String] {
        try await eventualValue(what, within: limit, seen: report) {
            let screen = try await self.screen()
            return matches(screen) ? screen : nil
        }
    }

    /// Waits until `text` stands in one row of the screen.
    @discardableResult
    nonisolated(nonsending) public func waitForScreen(
        containing text: String, within limit: Duration = Deadline.generous
    ) async throws -> [String] {
        try await waitForScreen("a screen with \"\(text)\"", within: limit) { screen in
            screen.contains { $0.contains(text) }
        }
    }

    /// How the program ended, nil while it runs. The screen stays as it was left.
    public func exitStatus() async throws -> ExitStatus? {
        guard try await value("pane_dead") == "1" else { return nil }
        if let status = try await deadStatus() { return status }
        // tmux sometimes misses that its child has ended. One more SIGCHLD, and it looks again.
        if let server = Int32(try await value("pid")) { kill(server, SIGCHLD) }
        return try await deadStatus()
    }

    private func deadStatus() async throws -> ExitStatus? {
        if let number = Int32(try await value("pane_dead_signal")) { return .signalled(number) }
        return Int32(try await value("pane_dead_status")).map(ExitStatus.exited)
    }

    @discardableResult
    nonisolated(nonsending) public func waitForExit(
        within limit: Duration = Deadline.generous
    ) async throws -> ExitStatus {
        try await eventualValue("the program to end", within: limit, seen: report) {
            try await self.exitStatus()
        }
    }

    /// Kills the program and ends the terminal.
    public func stop() {
        isStopped.withLock { isStopped in
            guard !isStopped else { return }
            isStopped = true
            tmux.stop()
            afterDeath.forget()
        }
    }

    private func report() async -> String {
        let screen = (try? await screen()) ?? ["(no screen)"]
        return "this screen:\n" + screen.map { "|\($0)" }.joined(separator: "\n")
    }
}
