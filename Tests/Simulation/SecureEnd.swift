import BeamscribeCore
import BeamscribeTLS

/// One end of a connection as sessions use it, at guests and hosts: two pipes, with TLS on them
/// unless the event does without. It does what `SecureSocket` does in the program.
///
/// Invariant: at most one record of what was given to ``send(_:)`` waits for the pipe.
final class SecureEnd {
    /// What came of a look at the pipe, as `SecureSocket.Received`.
    enum Received: Equatable {
        case bytes(Int)
        case nothing
        case end
    }

    /// Asked before each write; false once the one who writes is no more.
    var mayWrite: () -> Bool = { true }
    private let incoming: Pipe
    private let outgoing: Pipe
    private let tls: TLSConnection?
    /// Bytes that TLS has taken since nothing waited last.
    private var waiting = 0

    init(reading incoming: Pipe, writing outgoing: Pipe, _ context: TLSContext?) {
        self.incoming = incoming
        self.outgoing = outgoing
        // Fails for want of memory only.
        tls = context.map { try! TLSConnection($0) }
    }

    var hasOutput: Bool { tls?.hasOutput ?? false }
    var isEstablished: Bool { tls?.isEstablished ?? true }
    var hostFingerprint: Fingerprint? { tls?.hostFingerprint }

    /// What is wrong; nil where nothing is.
    var brokenInvariant: String? {
        waiting > TLSConnection.recordBytes ? "\(waiting) bytes wait in a connection" : nil
    }

    // MARK: Sending

    /// Sends as much as is taken: fewer bytes than given means that the pipe takes no more.
    func send(_ bytes: UnsafeRawBufferPointer) throws(TLSError) -> Int {
        guard let tls else { return write(bytes) }
        var taken = 0
        while flush(), taken < bytes.count {
            let count = try tls.send(UnsafeRawBufferPointer(rebasing: bytes[taken...]))
            taken += count
            waiting += count
        }
        return taken
    }

    /// Gives the pipe what waits for it.
    ///
    /// - Returns: whether nothing is left.
    @discardableResult
    func flush() -> Bool {
        guard let tls else { return true }
        guard tls.flush({ write($0) }) else { return false }
        waiting = 0
        return true
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        mayWrite() ? outgoing.send(bytes) : 0
    }

    /// Says that nothing more will be sent; receiving goes on.
    func finishSending() {
        tls?.finishSending()
        flush()
        outgoing.finish()
    }

    // MARK: Receiving

    /// Takes up to `limit` bytes of what has come, and gives what they hold to `body`, which
    /// returns false to take no more.
    func receive(
        atMost limit: Int, _ body: (UnsafeRawBufferPointer) -> Bool
    ) throws(TLSError) -> Received {
        guard let bytes = incoming.read(atMost: limit) else {
            return incoming.hasEnded ? .end : .nothing
        }
        do throws(TLSError) {
            try bytes.span.withUnsafeBytes { raw throws(TLSError) in
                if let tls { try tls.receive(raw, body) } else { _ = body(raw) }
            }
        } catch .closed {
            return .end
        }
        return .bytes(bytes.count)
    }
}
