import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS

@testable import Beamscribe

/// Somebody who answers at the host's address with the host's session, names and numbers, and has
/// another key. A guest that has met the host, or remembers its key, says nothing to it; one that has only
/// the host's fingerprint says its handshake, for it could be somebody who holds the event; one that has
/// only the event's code says its handshake and its guess, and no more. None listens.
final class Impostor {
    /// What gives it away.
    enum Flaw {
        case key
        /// It asks for no code.
        case noCode
        /// It asks for the code, and has made its own of another.
        case otherCode(CodeSecret)
    }

    private let stage: Stage
    private let connection: Connection
    private let victim: String
    private let flaw: Flaw
    private let socket: SecureSocket
    private var examiner: CodeExaminer?
    private var hasLied = false
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    init(
        _ process: SimulatedProcess, _ stage: Stage, _ identities: Identities,
        on connection: Connection, to guest: String, _ flaw: Flaw
    ) {
        self.stage = stage
        self.connection = connection
        self.flaw = flaw
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
        var heard: [UInt8] = []
        let received = try? socket.receive(into: scratch) {
            heard += $0
            return true
        }
        // A guest that goes away in the middle of the handshake is as it should be.
        guard let received, received != .end, let isSent = try? socket.flush() else {
            return socket.ignore()
        }
        socket.interest = isSent ? .read : [.read, .write]
        if socket.isEstablished { respond(to: heard) }
    }

    private func respond(to heard: [UInt8]) {
        switch flaw {
        case .key where !heard.isEmpty && !mayBeGreeted:
            stage.world.fail("\(victim): it talks to an impostor")
        case .otherCode(let secret): examine(heard, secret)
        case .key, .noCode: if !hasLied { lie() }
        }
    }

    private var mayBeGreeted: Bool {
        stage.guest(of: connection.guest)?.mayGreetStrangers ?? false
    }

    /// Plays the host's part of the proof to the end.
    private func examine(_ heard: [UInt8], _ secret: CodeSecret) {
        if examiner == nil, let record = try? secret.record(), let key = try? socket.exportedKey() {
            examiner = CodeExaminer(record, exporter: key, over: .network)
        }
        let events = heard.withUnsafeBytes { examiner?.receive($0) } ?? []
        for event in events {
            switch event {
            case .say(let bytes): say(bytes)
            case .guesses:
                guard case .say(let bytes)? = try? examiner?.answer() else { continue }
                stage.world.note(victim, "has its guess answered by an impostor")
                say(bytes)
            case .admitted, .wrongCode, .refused, .broken:
                stage.world.fail("\(victim): it says more than its guess to an impostor")
            }
        }
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
        say(packets.flatMap { (try? encoder.frame($0)) ?? [] })
    }

    private func say(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { try? socket.send($0) }
    }
}
