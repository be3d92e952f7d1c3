import TestSupport

extension Room {
    /// Starts a host with a code, which nobody sees in its arguments.
    static func open(
        _ options: String..., code: String, event: String = "Town Hall"
    ) async throws -> Room {
        let folder = try TemporaryFolder()
        let words = ["host", "--event", event] + quiet(port: 0) + options
        var launch = Launch.beamscribe(words, state: folder)
        launch.environment["BEAMSCRIBE_CODE"] = code
        return try await Room(launch, folder)
    }

    /// Starts `launch`, a host at a free port of 127.0.0.1, and waits until it can be joined.
    init(_ launch: Launch, _ folder: TemporaryFolder) async throws {
        let host = try RunningProgram(launch)
        let port = try await Self.port(of: host)
        self.init(folder: folder, host: host, address: "127.0.0.1:\(port)", port: port)
    }

    /// Starts a guest with a code and a state folder of its own.
    func join(
        code: String, _ options: String..., state: TemporaryFolder? = nil
    ) throws -> RunningProgram {
        var launch = Launch.beamscribe(
            ["join", "--host", address] + options, state: try state ?? TemporaryFolder())
        launch.environment["BEAMSCRIBE_CODE"] = code
        return try RunningProgram(launch)
    }

    /// The fingerprint that the host shows, 16 digits without spaces.
    func fingerprint() async throws -> String {
        let line = try await host.waitForLine(containing: "Key of this host:", on: .standardError)
        let shown = line.firstMatch(of: /Key of this host: ((?:[0-9a-f]{4} ?){4})/)?.output.1
        return shown?.filter { $0 != " " } ?? ""
    }
}
