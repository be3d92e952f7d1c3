import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS

/// A connection as sessions use it: a stream, with TLS on it unless both sides do without.
///
/// Invariant: after ``send(_:)`` took all that it was given, `hasOutput` tells whether some of it
/// still waits for the kernel. The stream's end is said behind the last byte of that, and once.
final class SecureSocket {
    private let stream: any ByteStream
    private let tls: TLSConnection?
    private var end = End.notYet
    /// The number of bytes that the kernel has taken.
    private(set) var sentBytes = 0

    private enum End {
        case notYet
        /// Wanted, as soon as the kernel has everything.
        case due
        case said
    }

    init(_ stream: any ByteStream, _ tls: TLSConnection?) {
        self.stream = stream
        self.tls = tls
    }

    /// Whether something waits for the kernel to take it.
    var hasOutput: Bool { tls?.hasOutput ?? false }
    /// Whether the handshake is done.
    var isEstablished: Bool { tls?.isEstablished ?? true }
    /// The key that the host has proved to have, at a guest.
    var hostFingerprint: Fingerprint? { tls?.hostFingerprint }

    /// What only the two ends of the connection have; see ``TLSConnection/exportedKey()``.
    func exportedKey(_ purpose: ExportedKey = .code) throws(SecureSocketError) -> [UInt8] {
        do throws(TLSError) {
            guard let tls else { throw .violation("no encryption") }
            return try tls.exportedKey(purpose)
        } catch {
            throw .security(error)
        }
    }

    enum Received: Equatable {
        /// So many bytes came over the wire; what they hold was given away.
        case bytes(Int)
        case nothing
        case end
    }

    /// Sends as much as is taken: fewer bytes than given means that the kernel takes no more.
    func send(_ bytes: UnsafeRawBufferPointer) throws(SecureSocketError) -> Int {
        guard let tls else { return try sendPlainly(bytes) }
        var taken = 0
        while try flush(), taken < bytes.count {
            do throws(TLSError) {
                taken += try tls.send(UnsafeRawBufferPointer(rebasing: bytes[taken...]))
            } catch {
                throw .security(error)
            }
        }
        return taken
    }

    /// Hands the kernel what waits for it.
    ///
    /// - Returns: whether nothing is left.
    @discardableResult
    func flush() throws(SecureSocketError) -> Bool {
        let isEmpty =
            try tls?.flush { bytes throws(SecureSocketError) in try sendPlainly(bytes) } ?? true
        if isEmpty, end == .due {
            end = .said
            stream.finishSending()
        }
        return isEmpty
    }

    private func sendPlainly(_ bytes: UnsafeRawBufferPointer) throws(SecureSocketError) -> Int {
        do throws(SystemError) {
            guard case .bytes(let count) = try stream.send(bytes) else { return 0 }
            sentBytes += count
            return count
        } catch {
            throw .system(error)
        }
    }

    /// Receives what the kernel has, up to the size of `buffer`, and gives what it holds to `body`,
    /// in pieces that are valid during the call. Return false from `body` to take no more.
    func receive(
        into buffer: UnsafeMutableRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Bool
    ) throws(SecureSocketError) -> Received {
        let count: Int
        do throws(SystemError) {
            switch try stream.receive(into: buffer) {
            case .bytes(let received): count = received
            case .wouldBlock: return .nothing
            case .endOfStream: return .end
            }
        } catch {
            throw .system(error)
        }
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        guard let tls else {
            _ = body(bytes)
            return .bytes(count)
        }
        do throws(TLSError) {
            try tls.receive(bytes, body)
        } catch .closed {
            return .end
        } catch {
            throw .security(error)
        }
        return .bytes(count)
    }

    // MARK: Waiting

    /// See ``ByteStream/watch(for:_:)``.
    func watch(
        for interest: Interest, _ handler: @escaping (Interest) -> Void
    ) throws(SystemError) {
        try stream.watch(for: interest, handler)
    }

    func ignore() { stream.ignore() }

    /// What is waited for.
    var interest: Interest {
        get { stream.interest }
        set { stream.interest = newValue }
    }

    // MARK: The end

    /// Says that nothing more will be sent, as soon as ``flush()`` leaves nothing; receiving goes on.
    func finishSending() {
        guard end == .notYet else { return }
        end = .due
        tls?.finishSending()
        _ = try? flush()
    }
}

/// Why a ``SecureSocket`` is of no use any more.
enum SecureSocketError: Error {
    case system(SystemError)
    case security(TLSError)

    /// As a clause about the other side: "was cut off (Connection reset by peer)".
    var clause: String {
        switch self {
        case .system(let error): "was cut off (\(error.reason))"
        case .security(let error): "\(error)"
        }
    }
}
