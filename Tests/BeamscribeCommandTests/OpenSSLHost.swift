import TestSupport

/// A host on OpenSSL's own server, whose words are those of a test.
struct OpenSSLHost {
    let server: RunningProgram
    let folder: TemporaryFolder
    let port: UInt16

    var address: String { "127.0.0.1:\(port)" }

    init(_ options: [String]) async throws {
        let words = ["s_server", "-accept", "127.0.0.1:0"] + options
        server = try RunningProgram(Launch("openssl", arguments: words))
        folder = try TemporaryFolder()
        let line = try await server.waitForLine { $0.hasPrefix("ACCEPT 127.0.0.1:") }
        let digits = line.split(separator: ":").last?.prefix { $0.isNumber }
        guard let port = digits.flatMap({ UInt16($0) }) else {
            throw WaitFailed(what: "a port", reason: "the line has none", seen: line)
        }
        self.port = port
    }

    /// Starts a guest of this host.
    func join(_ options: String..., code: String? = nil) throws -> RunningProgram {
        var launch = Launch.beamscribe(["join", "--host", address] + options, state: folder)
        if let code { launch.environment["BEAMSCRIBE_CODE"] = code }
        return try RunningProgram(launch)
    }

    /// Waits for a guest's handshake, and plays an event of three lines.
    func playEvent() async throws {
        try await server.waitForOutput("a handshake") {
            $0.standardOutput.text.contains(#""type":"handshake""#)
        }
        let frames = [Wire.accepted(lastSeq: 2), Wire.history(from: 1, through: 2)]
        let said = (1...3).map { Wire.line($0) } + [Wire.ended]
        try await server.write(bytes: Array((frames + said).joined()))
    }
}
