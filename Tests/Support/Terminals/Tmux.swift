/// One tmux server, which listens on a socket in a folder of its own.
struct Tmux: Sendable {
    /// The screen shows the program and nothing of tmux, also when the program has ended.
    static let settings = [
        ["-g", "status", "off"], ["-g", "remain-on-exit", "on"],
        ["-gq", "remain-on-exit-format", ""], ["-g", "history-limit", "10000"],
        ["-s", "escape-time", "0"], ["-g", "default-terminal", "screen-256color"],
    ].flatMap { ["set"] + $0 + [";"] }

    private static let words = ["-u", "-L", "beamscribe", "-f", "/dev/null"]
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// `launch` as words that tmux runs without a shell (it takes a single word for shell text).
    static func words(for launch: Launch) throws -> [String] {
        let removals = launch.withoutVariables.sorted().flatMap { ["-u", $0] }
        let variables = launch.environment.map { "\($0)=\($1)" }
        return ["env"] + removals + variables + (try launch.words())
    }

    @discardableResult
    func run(_ arguments: [String]) async throws -> String {
        try await Tool.run(launch(arguments))
    }

    func value(_ name: String) async throws -> String {
        let text = try await run(["display-message", "-p", "#{\(name)}"])
        return String(text.dropLast())
    }

    /// Blocks until the server and its program are gone.
    func stop() {
        Tool.runBlocking(Launch("/bin/sh", "-c", stopCommand))
    }

    /// What ends the server and the program in its pane, as a line of shell. SIGHUP, which tmux
    /// sends, is a request; what ignores it would stay for ever.
    ///
    /// tmux is not asked to kill the program itself (`run-shell`): once in a while tmux 3.3 misses
    /// that such a command has ended, and never answers.
    var stopCommand: String {
        let words = ["timeout", "--signal=KILL", "10", "tmux"] + Tmux.words
        let folder = "TMUX_TMPDIR=\(Reaper.quoted(folder.path))"
        let tmux =
            "env -u TMUX -u TMUX_PANE \(folder) "
            + words.map(Reaper.quoted).joined(separator: " ")
        let process = Reaper.quoted("#{?pane_dead,,#{pane_pid}}")
        return "pid=$(\(tmux) display-message -p \(process)); "
            + "[ -z \"$pid\" ] || kill -9 \"-$pid\"; \(tmux) kill-server"
    }

    private func launch(_ arguments: [String]) -> Launch {
        // A word that ends in ";" would end the tmux command; a ";" alone is meant to.
        let arguments = arguments.map { word in
            word.count > 1 && word.hasSuffix(";") ? word.dropLast() + "\\;" : word
        }
        var launch = Launch("tmux", arguments: Tmux.words + arguments)
        launch.environment["TMUX_TMPDIR"] = folder.path
        launch.withoutVariables = ["TMUX", "TMUX_PANE"]
        return launch
    }
}
