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

    /// What ends the server and the program in its pane. SIGHUP, which tmux sends, is a request;
    /// what ignores it would stay for ever.
    private static let ending = [
        ["run-shell", "#{?pane_dead,,kill -9 -#{pane_pid}}"], ["kill-server"],
    ]

    /// Blocks until the server and its program are gone.
    func stop() {
        for command in Tmux.ending { Tool.runBlocking(launch(command)) }
    }

    /// The same as one line of shell.
    var stopCommand: String {
        let tmux = "TMUX_TMPDIR=\(Reaper.quoted(folder.path)) tmux"
        return Tmux.ending.map { command in
            ([tmux] + (Tmux.words + command).map(Reaper.quoted)).joined(separator: " ")
        }.joined(separator: "; ")
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
