import BeamscribeCore
import BeamscribeTLS

/// Somebody who answers at the host's address with the host's session, names and numbers, and has
/// another key. No guest says anything to it, and none listens.
final class Impostor {
    private let stage: Stage
    private let victim: String
    private let socket: SecureEnd
    private var hasLied = false

    init(_ stage: Stage, _ identities: Identities, on connection: Connection, to guest: String) {
        self.stage = stage
        victim = guest
        socket = SecureEnd(
            reading: connection.up, writing: connection.down, identities.impostor)
        connection.up.whenReadable = { [self] in hear() }
        connection.down.whenWritable = { [self] in socket.flush() }
    }

    private func hear() {
        // A guest that goes away in the middle of the handshake is as it should be.
        while case .bytes? = try? socket.receive(atMost: 65_536, { _ in overhears() }) {
            socket.flush()
            if socket.isEstablished, !hasLied { lie() }
        }
        socket.flush()
    }

    private func overhears() -> Bool {
        stage.world.fail("\(victim): it talks to an impostor")
        return false
    }

    /// All that a host says until its first line.
    private func lie() {
        hasLied = true
        var response = HandshakeResponse(status: .accepted)
        response.session = stage.sessionID.wireName
        response.protocol = Handshake.currentProtocol
        response.eventName = "Town Hall"
        response.deviceName = "stage"
        (response.firstSeq, response.lastSeq) = (1, 1)
        let packets: [Packet] = [
            .handshakeResponse(response),
            .fullHistory(FullHistory(session: stage.sessionID.wireName, from: 1, through: 1)),
            .liveChunk(LiveChunk(final: 1, line: "u1", text: "a lie", sentTimestamp: 0)),
        ]
        let encoder = FrameEncoder()
        let bytes = packets.flatMap { (try? encoder.frame($0)) ?? [] }
        _ = bytes.withUnsafeBytes { try? socket.send($0) }
    }
}
