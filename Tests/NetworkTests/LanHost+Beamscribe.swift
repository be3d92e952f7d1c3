import TestSupport
import Testing

extension LanHost {
    /// Starts an event on this host; guests can join when this comes back.
    func host(_ event: String, _ options: String...) async throws -> RunningProgram {
        try await host(event, options: options)
    }

    /// Starts an event on this host; browsers can find it when this comes back.
    func announce(_ event: String, _ options: String...) async throws -> RunningProgram {
        let host = try await host(event, options: options)
        try await host.waitForAnnouncement()
        return host
    }

    /// Goes on with the last session of this host; guests can join when this comes back.
    func resume(_ options: [String]) async throws -> RunningProgram {
        try await hosting(["--resume", "last"] + options)
    }

    /// Starts a guest on this host.
    func join(_ arguments: String...) throws -> RunningProgram {
        try join(arguments)
    }

    func join(_ arguments: [String]) throws -> RunningProgram {
        try spawn(command("join", arguments))
    }

    /// Starts a browser on this host.
    func browse(_ arguments: String...) throws -> RunningProgram {
        try browse(arguments)
    }

    func browse(_ arguments: [String]) throws -> RunningProgram {
        try spawn(command("browse", arguments))
    }

    /// Runs a browser on this host and answers what it lists.
    func listed(_ options: String...) async throws -> [Listing] {
        let browser = try spawn(command("browse", options + ["--json"]))
        try await browser.expectExit(0)
        return try browser.standardOutputLines.map(Listing.init)
    }

    /// Starts a guest on a screen of this host.
    func joinOnTerminal(_ arguments: String...) async throws -> TerminalSession {
        try await TerminalSession(inside(command("join", arguments)))
    }

    func host(_ event: String, options: [String]) async throws -> RunningProgram {
        try await hosting(["--event", event] + options)
    }

    /// Starts an event on this host, where `bus` is the system's and BlueZ's bus.
    func host(_ event: String, by bus: HangingBus) async throws -> RunningProgram {
        try await hosting(["--event", event], by: bus)
    }

    /// Starts the program on this host.
    func beamscribe(_ words: [String]) throws -> RunningProgram {
        try spawn(command(words[0], Array(words.dropFirst())))
    }

    /// Starts the program on this host, where `bus` is the system's and BlueZ's bus.
    func beamscribe(
        _ name: String, _ arguments: String..., by bus: HangingBus
    ) throws -> RunningProgram {
        try spawn(command(name, arguments).using(bus))
    }

    /// Starts somebody on a channel that everybody may talk on.
    func talk(_ words: String...) throws -> RunningProgram {
        try spawn(command("talk", ["--channel", "all", "--format", "jsonl"] + words))
    }

    /// Waits until it is found here that another host serves an event.
    func waitUntil(_ other: LanHost, serves event: String) async throws {
        let watch = try browse("--watch", "--json")
        try await watch.waitForLine("the one who serves") {
            $0.contains("\"\(event)\"") && $0.contains(other.address)
        }
        watch.stop()
    }

    /// Starts a node of an event in which everybody captions on this host.
    func mesh(_ event: String, as label: String, _ options: [String]) throws -> RunningProgram {
        var launch = command("mesh", [event, "--as", label] + options)
        launch.input = .pipe
        return try spawn(launch)
    }

    /// Starts somebody on this host who stands by for an event; it is let in when this comes back.
    func standBy(_ event: String) async throws -> RunningProgram {
        try await captioning(["--standby", event])
    }

    /// Starts somebody on this host who captions in an event, too; it is let in when this comes back.
    func caption(_ label: String, in event: String) async throws -> RunningProgram {
        try await captioning(["--into", event, "--as", label])
    }

    /// Starts somebody on this host who interprets what is said in an event; he is let in when this comes
    /// back.
    func interpret(
        _ label: String, into language: String, in event: String
    ) async throws -> RunningProgram {
        try await captioning([
            "--into", event, "--as", label, "--lang", language, "--of", "floor",
        ])
    }

    private func captioning(_ words: [String]) async throws -> RunningProgram {
        var launch = command("host", words)
        launch.input = .pipe
        let program = try spawn(launch)
        try await program.waitForLine(containing: "Let in", on: .standardError)
        return program
    }

    private func hosting(
        _ arguments: [String], by bus: HangingBus? = nil
    ) async throws -> RunningProgram {
        var launch = command("host", arguments + ["--linger", "0"]).using(bus)
        launch.input = .pipe
        let host = try spawn(launch)
        try await host.waitForLine(containing: " join --host ", on: .standardError)
        return host
    }

    private func command(_ name: String, _ arguments: [String]) -> Launch {
        var launch = Launch(Binary.beamscribe, arguments: [name] + arguments)
        launch.input = .null
        return launch
    }
}
