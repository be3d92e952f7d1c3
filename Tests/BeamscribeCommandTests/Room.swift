import TestSupport
import Testing

/// A host program with a state folder of its own, and what it takes to join it.
struct Room: Sendable {
    let folder: TemporaryFolder
    let host: RunningProgram
    /// Where the host listens, with its port.
    let address: String
    let port: UInt16

    /// Starts a host at a free port of this machine alone, and waits until it can be joined.
    static func open(
        _ options: String..., event: String = "Town Hall", at address: String = "127.0.0.1",
        output: StandardOutput = .collected
    ) async throws -> Room {
        try await open(options, event: event, at: address, output: output)
    }

    /// The same.
    static func open(
        _ options: [String], event: String = "Town Hall", at address: String = "127.0.0.1",
        output: StandardOutput = .collected
    ) async throws -> Room {
        let folder = try TemporaryFolder()
        let words = ["host", "--event", event] + quiet(port: 0, at: address) + options
        var launch = Launch.beamscribe(words, state: folder)
        launch.output = output
        let host = try RunningProgram(launch)
        let port = try await port(of: host)
        return Room(folder: folder, host: host, address: "\(address):\(port)", port: port)
    }

    /// Starts a host on a session of `folder`, by default at the port that the guests know.
    static func resume(
        _ session: String = "last", in folder: TemporaryFolder, _ options: String...
    ) async throws -> Room {
        let words =
            ["host", "--resume", session, "--bind", "127.0.0.1", "--no-bonjour"] + options
        let host = try RunningProgram(.beamscribe(words, state: folder))
        let port = try await port(of: host)
        return Room(folder: folder, host: host, address: "127.0.0.1:\(port)", port: port)
    }

    /// The options of a host that nobody outside this machine notices.
    static func quiet(port: UInt16, at address: String = "127.0.0.1") -> [String] {
        ["--port", "\(port)", "--bind", address, "--no-bonjour"]
    }

    /// An address of this machine that no other test has, so that its ports are free for as long
    /// as a test needs them.
    static func ownAddress() -> String {
        let numbers = (1...3).map { _ in "\(Int.random(in: 2...250))" }
        return "127." + numbers.joined(separator: ".")
    }

    /// The port in the command that `host` shows to guests.
    static func port(of host: RunningProgram) async throws -> UInt16 {
        let line = try await host.waitForLine(
            containing: joinCommand, on: .standardError)
        return try port(in: line)
    }

    static func port(in line: String) throws -> UInt16 {
        let address = line.split(separator: joinCommand).last?.split(separator: ":").dropFirst()
        let digits = address?.first?.prefix { $0.isNumber }
        guard let port = digits.flatMap({ UInt16($0) }) else {
            throw WaitFailed(what: "a port", reason: "the line has none", seen: line)
        }
        return port
    }

    private static let joinCommand = "beamscribe join --host 127."

    /// Starts a guest.
    func join(
        _ options: String..., output: StandardOutput = .collected
    ) throws -> RunningProgram {
        var launch = launchOfGuest(options)
        launch.output = output
        return try RunningProgram(launch)
    }

    /// What starts a guest, also on a terminal.
    func launchOfGuest(_ options: [String] = []) -> Launch {
        .beamscribe(["join", "--host", address] + options, state: folder)
    }

    /// Starts a guest and waits until the host has let it in.
    func joined(_ options: String...) async throws -> RunningProgram {
        let guest = try RunningProgram(launchOfGuest(options))
        try await guest.waitForLine(
            containing: "Joined", on: .standardError)
        return guest
    }

    /// Stops the host, and ends the event for those who wait.
    func end() async throws {
        host.interrupt()
        try await host.expectExit(0)
        let words = ["sessions", "end", "last", "--bind", "127.0.0.1", "--no-bonjour"]
        let end = try RunningProgram(.beamscribe(words, state: folder))
        try await end.expectExit(0)
    }

    /// Gives the host finished lines to send.
    func tell(_ lines: [String]) async throws {
        try await host.write(lines.map { $0 + "\n" }.joined())
    }

    func tell(_ lines: String...) async throws {
        try await tell(lines)
    }
}

extension Launch {
    /// The program under test, with its state and settings in `state` and not in the user's own
    /// folders.
    static func beamscribe(_ arguments: [String], state: TemporaryFolder) -> Launch {
        // Whoever waits for a host's end would wait for late readers, too.
        let lingers = arguments.first != "host" || arguments.contains("--linger")
        var launch = Launch(
            Binary.beamscribe, arguments: arguments + (lingers ? [] : ["--linger", "0"]))
        launch.environment["XDG_STATE_HOME"] = state.path
        launch.environment["XDG_CONFIG_HOME"] = state.path(of: "config")
        launch.withoutVariables = ["NO_COLOR", "BEAMSCRIBE_CODE", "BEAMSCRIBE_CREW_CODE"]
        return launch
    }
}

/// `line 1`, `line 2` and so on: lines that tell where they belong.
func numbered(_ numbers: ClosedRange<Int>, _ word: String = "line") -> [String] {
    numbers.map { "\(word) \($0)" }
}
