import BeamscribeTLS
import TestSupport

/// A host that a test plays by hand, frame by frame.
final class FakeHost {
    private let listener: TCPSocket
    private let folder: TemporaryFolder
    private let context: TLSContext

    init() throws {
        listener = try TCPSocket.listening()
        folder = try TemporaryFolder()
        context = try TLSContext(host: HostKey())
    }

    var address: String { "127.0.0.1:\(listener.port)" }

    /// Starts a guest of this host.
    func join(_ options: String...) throws -> RunningProgram {
        try RunningProgram(launchOfGuest(options))
    }

    func launchOfGuest(_ options: [String] = []) -> Launch {
        .beamscribe(["join", "--host", address] + options, state: folder)
    }

    /// The next connection.
    func accept(within limit: Duration = Deadline.generous) async throws -> WireConnection {
        try await eventualValue("a guest to connect", within: limit, every: .milliseconds(5)) {
            try listener.accept().map { try WireConnection($0, context) }
        }
    }

    /// The next connection, on which the host speaks without encryption.
    func acceptSocket(within limit: Duration = Deadline.generous) async throws -> WireConnection {
        try await eventualValue("a guest to connect", within: limit, every: .milliseconds(5)) {
            listener.accept().map { WireConnection(plainly: $0) }
        }
    }

    /// The next connection on which a handshake comes, and that. On a busy machine a guest may have
    /// given one up before it was answered, and tried again.
    func acceptGuest(
        within limit: Duration = Deadline.generous
    ) async throws -> (WireConnection, Message) {
        while true {
            let connection = try await accept(within: limit)
            if let handshake = try? await connection.receive("handshake") {
                return (connection, handshake)
            }
        }
    }

    /// Lets the next guest in, and sends it what a good host would up to here: an answer, and a
    /// history that ends with line `lastSeq`.
    func welcomeGuest(
        history lastSeq: Int = 0, keepAliveInterval: Double = 2,
        within limit: Duration = Deadline.generous
    ) async throws -> (WireConnection, Message) {
        let (connection, handshake) = try await acceptGuest(within: limit)
        let first = (handshake.resume?.after ?? 0) + 1
        try await connection.send([
            Wire.accepted(lastSeq: lastSeq, keepAliveInterval: keepAliveInterval),
            Wire.history(from: first, through: max(lastSeq, first - 1)),
        ])
        if first <= lastSeq { try await connection.send((first...lastSeq).map { Wire.line($0) }) }
        return (connection, handshake)
    }
}
