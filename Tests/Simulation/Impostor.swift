import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS

@testable import Beamscribe

/// Somebody who answers at the host's address with the host's session, names and numbers, and has
/// another key. No guest says anything to it, and none listens.
final class Impostor {
    private let stage: Stage
    private let connection: Connection
    private let victim: String
    private let socket: SecureSocket
    private var hasLied = false
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    init(
        _ process: SimulatedProcess, _ stage: Stage, _ identities: Identities,
        on connection: Connection, to guest: String
    ) {
        self.stage = stage
        self.connection = connection
        victim = guest
        socket = SecureSocket(
            SimulatedStream(of: process, accepting: connection),
            try! TLSConnection(identities.impostor))
    }

    deinit {
        scratch.deallocate()
    }

    func begin() {
        try? socket.watch(for: .read) { [self] _ in hear() }
    }

    private func hear() {
        // A guest that goes away in the middle of the handshake is as it should be.
        guard let received = try? socket.receive(into: scratch, { _ in overhears() }),
            received != .end, let isSent = try? socket.flush()
        else { return socket.ignore() }
        socket.interest = isSent ? .read : [.read, .write]
        if socket.isEstablished, !hasLied { lie() }
    }

    private func overhears() -> Bool {
        stage.world.fail("\(victim): it talks to an impostor")
        return false
    }

    /// All that a host says until its first line.
    private func lie() {
        hasLied = true
        stage.guest(of: connection.guest)?.isLiedTo()
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
