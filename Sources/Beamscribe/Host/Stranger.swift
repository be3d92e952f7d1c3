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
    /// What came behind its handshake.
    var plaintext: [UInt8] = []

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

    /// Begins to use TLS, or to do without.
    func begin(_ tls: TLSConnection?) -> SecureSocket? {
        guard let socket = fresh.take() else { return nil }
        let made = SecureSocket(socket, tls)
        secured = made
        return made
    }
}
