import TestSupport

/// A program that serves a host's event to others, and where.
struct Holder: Sendable {
    let program: RunningProgram
    let folder: TemporaryFolder
    let port: UInt16

    /// Starts `words` at a free port of this machine alone, and waits until others can read there.
    ///
    /// - Parameters:
    ///   - address: where the event is joined; nil to have it found, or taken up from `folder`.
    ///   - folder: its state; by default one of its own.
    ///   - prefix: a program that starts it, and its options.
    static func open(
        _ words: [String], of address: String?, in folder: TemporaryFolder? = nil,
        code: String? = nil, prefix: [String] = []
    ) async throws -> Holder {
        let folder = try folder ?? TemporaryFolder()
        let place = address.map { ["--host", $0] } ?? []
        var launch = Launch.beamscribe(
            words + place + ["--no-ble"] + Room.quiet(port: 0), state: folder)
        launch.prefix = prefix
        if let code { launch.environment["BEAMSCRIBE_CODE"] = code }
        let program = try RunningProgram(launch)
        let line = try await program.waitForLine(containing: "Serving", on: .standardError)
        return Holder(program: program, folder: folder, port: try Room.port(in: line))
    }

    var address: String { "127.0.0.1:\(port)" }

    /// Starts a reader there.
    func join(
        _ options: String..., code: String? = nil, state: TemporaryFolder? = nil
    ) throws -> RunningProgram {
        let words = ["join", "--host", address, "--no-ble"] + options
        var launch = Launch.beamscribe(words, state: try state ?? TemporaryFolder())
        if let code { launch.environment["BEAMSCRIBE_CODE"] = code }
        return try RunningProgram(launch)
    }

    func kill() async throws { try await program.killed() }
}

extension RunningProgram {
    /// Kills it, and waits until it is gone.
    func killed() async throws { try await Self.kill([self]) }

    /// Kills all of them at once, and waits until they are gone.
    static func kill(_ programs: [RunningProgram]) async throws {
        programs.forEach { $0.kill() }
        for program in programs { try await program.waitForExit() }
    }
}
