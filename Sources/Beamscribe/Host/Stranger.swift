import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS

/// A connection at a host's door that has not finished its handshake.
///
/// Invariant: one of `fresh` and `secured` holds the socket until it is taken.
final class Stranger {
    let id: ConnectionID
    let peer: Destination?
    var registration: Registration?
    /// Before the first byte tells what it is.
    private var fresh: Socket?
    /// Once its handshake has begun.
    private(set) var secured: SecureSocket?
    /// Where it is to prove the event's code: how far that is.
    var examiner: CodeExaminer?
    /// What came behind its handshake, and is not taken yet.
    private var plaintext: [UInt8] = []
    /// What it is to be told, and the kernel has not taken.
    private var unsaid: [UInt8] = []

    init(_ id: ConnectionID, _ socket: consuming Socket, from peer: Destination?) {
        self.id = id
        self.peer = peer
        fresh = consume socket
    }

    deinit {
        registration?.cancel()
    }

    var number: Int32 { secured?.number ?? fresh?.number ?? -1 }

    /// Whose connection it is, for people.
    var name: String { peer?.description ?? "unknown" }

    /// What is held against whom: an address, without its port.
    var source: String {
        switch peer {
        case .network(let endpoint): endpoint.address.rateSource
        case .channel(let endpoint): "\(endpoint.device)"
        case nil: "unknown"
        }
    }

    /// Its first bytes; nil while there are none.
    func receiveFirst(
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Socket.Transfer {
        try fresh?.receive(into: buffer) ?? .wouldBlock
    }

    /// Says something without encryption, as far as the kernel takes it at once.
    func say(_ bytes: [UInt8]) {
        _ = try? fresh?.send(bytes)
    }

    // MARK: Behind the handshake

    /// Keeps what came behind the handshake; false once that is more than a guest may say, which has
    /// to wait for the answer.
    func keep(_ bytes: UnsafeRawBufferPointer) -> Bool {
        plaintext += bytes
        return plaintext.count <= Limits.guestFramePayload
    }

    func takePlaintext() -> [UInt8] {
        defer { plaintext = [] }
        return plaintext
    }

    /// Says something through TLS, once the kernel takes it; ``flush()`` goes on with it.
    func tell(_ bytes: [UInt8]) throws(SecureSocketError) {
        unsaid += bytes
        _ = try flush()
    }

    /// - Returns: whether nothing is left.
    func flush() throws(SecureSocketError) -> Bool {
        guard let secured else { return true }
        if !unsaid.isEmpty {
            let waiting = unsaid
            let taken = try waiting.span.withUnsafeBytes { bytes throws(SecureSocketError) in
                try secured.send(bytes)
            }
            unsaid.removeFirst(taken)
        }
        return try secured.flush() && unsaid.isEmpty
    }

    /// Begins to use TLS, or to do without.
    func begin(_ tls: TLSConnection?) -> SecureSocket? {
        guard let socket = fresh.take() else { return nil }
        let made = SecureSocket(socket, tls)
        secured = made
        return made
    }
}
