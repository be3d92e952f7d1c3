import Foundation

/// An interactive shell on a screen in which the program's words are completed, by the script that
/// the program writes for it.
public final class CompletingShell: Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        case bash
        case zsh
        case fish
    }

    private let folder: TemporaryFolder
    private let session: TerminalSession

    /// - Parameters:
    ///   - directory: where the shell stands.
    ///   - surroundings: adds to how it is started.
    public init(
        _ kind: Kind, in directory: String, surroundings: (Launch) -> Launch = { $0 }
    ) async throws {
        folder = try TemporaryFolder()
        let script = try await Tool.run(
            Launch(Binary.beamscribe, "--generate-completion-script", kind.rawValue))
        try folder.makeFolder("functions")
        let file = try folder.write(script, to: "functions/_beamscribe")
        let path = "\(Binary.productsDirectory):/usr/bin:/bin"
        var launch = Launch("env")
        switch kind {
        case .bash:
            let start = try folder.write("PS1='$ '\nPATH=\(path)\nsource \(file)\n", to: "bashrc")
            launch.arguments = ["bash", "--noprofile", "--rcfile", start, "-i"]
        case .zsh:
            let start = """
                PATH=\(path) PS1='$ ' fpath=(\(folder.path)/functions $fpath)
                bindkey -e
                autoload -U compinit && compinit -u -D

                """
            try folder.write(start, to: ".zshrc")
            launch.environment["ZDOTDIR"] = folder.path
            launch.arguments = ["zsh", "-d", "-i"]
        case .fish:
            let start = "function fish_prompt; echo '$ '; end; set PATH (string split : \(path))"
            launch.environment["HOME"] = folder.path
            launch.arguments = ["fish", "--no-config", "-i", "-C", "\(start); source \(file)"]
        }
        launch.directory = directory
        session = try await TerminalSession(surroundings(launch), columns: 200, rows: 50)
        try await session.waitForScreen("a prompt") { rows in rows.contains { $0.hasPrefix("$") } }
    }

    /// Types `line`, presses Tab, and answers the words that the line then has, to the byte.
    ///
    /// - Parameter mark: what stands in the word that is inserted, and is not typed.
    public func words(
        completing line: String, until mark: String, within limit: Duration = Deadline.generous
    ) async throws -> [String] {
        try await session.send(keys: "C-u", "C-l")
        try await session.type(line)
        // The screen has no spaces at the ends of its rows.
        let end = String(line.split(separator: " ").last ?? "")
        try await session.waitForScreen("what was typed") { $0.joined().contains(end) }
        try await session.send(keys: "Tab")
        try await session.waitForScreen("the word", within: limit) { $0.joined().contains(mark) }
        let output = folder.path(of: UUID().uuidString)
        try await session.send(keys: "C-a")
        try await session.type("printf '%s\\n' ")
        try await session.send(keys: "C-e")
        try await session.type(" >\(output).new; mv \(output).new \(output)")
        try await session.send(keys: "Enter")
        let text = try await eventualValue("the words", within: limit) {
            try? String(contentsOfFile: output, encoding: .utf8)
        }
        return text.utf8.split(separator: UInt8(ascii: "\n")).map { String($0) ?? "" }
    }
}
