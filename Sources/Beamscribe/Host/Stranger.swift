import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS

/// A connection at a host's door that has not finished its handshake.
///
/// Invariant: one of `fresh` and `secured` holds the socket until it is taken.
final class Stranger {
    let id: ConnectionID
    let peer: Destination?
    /// Before the first byte tells what it is.
    private var fresh: (any ByteStream)?
    /// Once its handshake has begun.
    private(set) var secured: SecureSocket?
    /// What it said before its handshake began, at most ``Limits/firstWords`` of a stream.
    private(set) var firstWords: [UInt8] = []
    /// Where it is to prove the event's code: how far that is.
    var examiner: CodeExaminer?
    /// What came behind its handshake, and is not taken yet.
    private var plaintext: [UInt8] = []
    /// What it is to be told, and the kernel has not taken.
    private var unsaid: [UInt8] = []

    init(_ id: ConnectionID, _ accepted: AcceptedConnection) {
        self.id = id
        peer = accepted.peer
        fresh = accepted.stream
    }

    /// What is waited for on its connection.
    var interest: Interest {
        get { secured?.interest ?? fresh?.interest ?? [] }
        set {
            fresh?.interest = newValue
            secured?.interest = newValue
        }
    }

    /// Calls `ready` whenever its connection is ready for what is waited for: its words, at first.
    func watch(_ ready: @escaping (Interest) -> Void) throws(SystemError) {
        try fresh?.watch(for: .read, ready)
    }

    /// Whose connection it is, for people.
    var name: String { peer?.description ?? "unknown" }

    /// What is held against whom: an address, without its port.
    var source: String { peer.source }

    /// What a look at a stranger tells whose handshake has not begun.
    enum Word {
        /// It has said all that its handshake needs to begin.
        case complete
        case incomplete
        case gone
    }

    /// Takes in what it has to say, as far as its handshake needs that to begin.
    func listen(into buffer: UnsafeMutableRawBufferPointer) -> Word {
        let room = Limits.firstWords - firstWords.count
        guard room > 0 else { return .complete }
        // A packet that is not taken as a whole is lost in part.
        let size = if case .channel = peer { buffer.count } else { min(room, buffer.count) }
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<size])
        do throws(SystemError) {
            switch try fresh?.receive(into: part) {
            case .bytes(let count): firstWords += part[..<count]
            case .wouldBlock: break
            case .endOfStream, nil: return .gone
            }
        } catch {
            return .gone
        }
        return hasSaidEnough ? .complete : .incomplete
    }

    /// Half a ClientHello costs its sender nothing, and must not cost a handshake: its record is to
    /// be here as a whole (RFC 8446, section 5.1: a type, a version, a length of two bytes).
    private var hasSaidEnough: Bool {
        guard let type = firstWords.first else { return false }
        guard type == Self.handshakeRecord else { return true }
        guard firstWords.count >= 5 else { return false }
        let length = Int(firstWords[3]) << 8 | Int(firstWords[4])
        return firstWords.count >= min(5 + length, Limits.firstWords)
    }

    /// The type of a record that holds handshake messages (RFC 8446, section 5.1).
    static let handshakeRecord: UInt8 = 22

    func takeFirstWords() -> [UInt8] {
        defer { firstWords = [] }
        return firstWords
    }

    /// Says something without encryption, as far as the kernel takes it at once.
    func say(_ bytes: [UInt8]) {
        _ = try? fresh?.send(bytes)
    }

    /// Says why it is sent away, if it has begun to speak TLS. Without encryption it would take an
    /// alert for the length of a frame, and the host for somebody who breaks the protocol.
    func dismiss(_ alert: TLSAlert) {
        if firstWords.first == Self.handshakeRecord { say(alert.record) }
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

    /// Whether something waits for the kernel to take it.
    var hasOutput: Bool { !unsaid.isEmpty || secured?.hasOutput ?? false }

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
        guard let stream = fresh.take() else { return nil }
        let made = SecureSocket(stream, tls)
        secured = made
        return made
    }
}

extension Destination? {
    /// What is held against whom: an address without its port, a device over Bluetooth.
    var source: String {
        switch self {
        case .network(let endpoint): endpoint.address.rateSource
        case .channel(let endpoint): "\(endpoint.device)"
        case .backbone: "this machine"
        case nil: "unknown"
        }
    }
}

extension Destination {
    /// What carries a connection that is made to it.
    var transport: Transport {
        switch self {
        case .network: .network
        case .channel: .bluetooth
        case .backbone: .backbone
        }
    }
}
