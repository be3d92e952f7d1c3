public import BeamscribeCore
internal import COpenSSL

/// One end of a TLS connection, over whatever carries bytes: what comes in is given to it, and
/// what is to go out is taken from it. It reads no clock and no socket.
///
///     transport -> receive(_:_:) -> plaintext
///     plaintext -> send(_:)      -> flush(_:) -> transport
///
/// Invariant: at most one record of what was given to ``send(_:)`` waits to be flushed, so that
/// what is held for a slow peer stays small, and little is too late to be superseded. `hasRecords`
/// tells whether `outgoing` holds something.
public final class TLSConnection {
    /// Whether the handshake is done: the host has proved that it has the key that it shows.
    public private(set) var isEstablished = false
    /// The host's key, once a guest has seen the proof that the host has it; nil at a host.
    public private(set) var hostFingerprint: Fingerprint?

    private let context: TLSContext
    private let connection: OpaquePointer
    /// Owned by `connection`.
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    private var hasRecords = false
    /// Why nothing more is taken in; nil while the connection goes on.
    private var ending: TLSError?
    /// What the transport did not take.
    private var unsent: [UInt8] = []

    /// The most that one record holds, in bytes (RFC 8446, section 5.1).
    public static let recordBytes = 16_384

    /// A new connection. A guest's has something to be flushed at once.
    public init(_ context: TLSContext) throws(TLSError) {
        guard let connection = SSL_new(context.context) else { throw .library() }
        guard let incoming = BIO_new(BIO_s_mem()) else {
            SSL_free(connection)
            throw .library()
        }
        guard let outgoing = BIO_new(BIO_s_mem()) else {
            BIO_free(incoming)
            SSL_free(connection)
            throw .library()
        }
        SSL_set_bio(connection, incoming, outgoing)
        (self.context, self.connection) = (context, connection)
        (self.incoming, self.outgoing) = (incoming, outgoing)
        if context.isHost {
            SSL_set_accept_state(connection)
        } else {
            SSL_set_connect_state(connection)
            try shakeHands()
        }
    }

    deinit {
        SSL_free(connection)
    }

    // MARK: Incoming

    /// Takes what came from the transport, and gives what it holds to `plaintext`, in pieces that
    /// are valid during the call. Return false from `plaintext` to take no more of it.
    ///
    /// - Throws: why the connection is over, now and ever after; ``TLSError/closed`` in good order.
    ///   What is to be flushed then tells the other side.
    public func receive(
        _ bytes: UnsafeRawBufferPointer, _ plaintext: (UnsafeRawBufferPointer) -> Bool
    ) throws(TLSError) {
        // OpenSSL would go on with a handshake that the other side has ended in good order.
        if let ending { throw ending }
        do throws(TLSError) {
            try take(bytes, plaintext)
        } catch {
            ending = error
            throw error
        }
    }

    private func take(
        _ bytes: UnsafeRawBufferPointer, _ plaintext: (UnsafeRawBufferPointer) -> Bool
    ) throws(TLSError) {
        var rest = bytes[...]
        // A part at a time, so that the buffer within does not grow with what is given.
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.recordBytes))
            rest = rest.dropFirst(part.count)
            guard BIO_write(incoming, part.baseAddress, Int32(clamping: part.count)) == part.count
            else {
                throw .library()
            }
            if !isEstablished {
                try shakeHands()
                guard isEstablished else { continue }
            }
            guard try readAll(plaintext) else { return }
        }
    }

    private func shakeHands() throws(TLSError) {
        copenssl_forget_errors()
        let code = SSL_do_handshake(connection)
        lookForRecords()
        guard code == 1 else { return try check(code) }
        if !context.isHost { hostFingerprint = try provenKey() }
        isEstablished = true
    }

    /// The key that the host has just proved to have.
    private func provenKey() throws(TLSError) -> Fingerprint {
        guard let certificate = SSL_get0_peer_certificate(connection),
            let key = X509_get0_pubkey(certificate), let seen = Fingerprint(ofPublicKey: key)
        else { throw .violation("no key that can be used") }
        // OpenSSL asks this of chains that it verifies only, and there is none here.
        guard EVP_PKEY_get_security_bits(key) >= Self.leastSecurityBits else {
            throw .violation("a key that is too weak")
        }
        return seen
    }

    /// What security level 2 of OpenSSL asks for: RSA of 2,048 bits, or better
    /// (SSL_CTX_set_security_level(3)).
    private static let leastSecurityBits: Int32 = 112

    private func readAll(
        _ plaintext: (UnsafeRawBufferPointer) -> Bool
    ) throws(TLSError) -> Bool {
        while true {
            var count = 0
            copenssl_forget_errors()
            let code = SSL_read_ex(
                connection, context.plaintext.baseAddress, context.plaintext.count, &count)
            lookForRecords()
            guard code == 1 else {
                try check(code)
                return true
            }
            let piece = UnsafeRawBufferPointer(rebasing: context.plaintext[..<count])
            guard plaintext(piece) else { return false }
        }
    }

    /// Nothing is wrong where OpenSSL waits for more to come.
    private func check(_ code: Int32) throws(TLSError) {
        switch SSL_get_error(connection, code) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return
        case SSL_ERROR_ZERO_RETURN: throw .closed
        default: throw TLSError.noted() ?? .violation("the connection broke off")
        }
    }

    /// Bytes that only the two ends of this one connection have, and nobody in between (RFC 8446,
    /// section 7.5): for the event's code, 32 with which it is proved.
    ///
    /// - Throws: before the handshake is done.
    public func exportedKey(_ purpose: ExportedKey = .code) throws(TLSError) -> [UInt8] {
        let (label, context) = (purpose.label, purpose.context)
        var key = [UInt8](repeating: 0, count: purpose.count)
        copenssl_forget_errors()
        guard isEstablished,
            SSL_export_keying_material(
                connection, &key, key.count, label, label.utf8.count, context, context.count,
                context.isEmpty ? 0 : 1) == 1
        else { throw .library() }
        return key
    }

    // MARK: Outgoing

    public var hasOutput: Bool { hasRecords || !unsent.isEmpty }

    /// To be called when OpenSSL has done something, whatever that was: it may say something of its
    /// own accord, an alert for one.
    private func lookForRecords() {
        hasRecords = BIO_ctrl_pending(outgoing) > 0
    }

    /// Encrypts one record at most of `plaintext`, which is to be flushed next.
    ///
    /// - Returns: how many bytes were taken: none while there is output, or no connection yet.
    public func send(_ plaintext: UnsafeRawBufferPointer) throws(TLSError) -> Int {
        guard isEstablished, !plaintext.isEmpty, !hasOutput else { return 0 }
        var count = 0
        copenssl_forget_errors()
        let code = SSL_write_ex(
            connection, plaintext.baseAddress, min(plaintext.count, Self.recordBytes), &count)
        lookForRecords()
        if code != 1 { try check(code) }
        return count
    }

    /// Says that nothing more will be sent (close_notify), which is to be flushed.
    public func finishSending() {
        guard isEstablished else { return }
        copenssl_forget_errors()
        SSL_shutdown(connection)
        lookForRecords()
    }

    /// Gives what is to go out to `transport`, which returns how many bytes it took; fewer than it
    /// was given means that it takes no more for now.
    ///
    /// - Returns: whether nothing is left.
    public func flush<Failure: Error>(
        _ transport: (UnsafeRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Bool {
        if !unsent.isEmpty {
            let taken = try Self.give(unsent, to: transport)
            unsent.removeFirst(taken)
            guard unsent.isEmpty else { return false }
            unsent = []
        }
        while hasRecords {
            let count = BIO_read(
                outgoing, context.records.baseAddress, Int32(clamping: context.records.count))
            let bytes = UnsafeRawBufferPointer(rebasing: context.records[..<max(0, Int(count))])
            // All of it was read, unless it filled the place for it.
            hasRecords = bytes.count == context.records.count && BIO_ctrl_pending(outgoing) > 0
            let taken = try transport(bytes)
            guard taken == bytes.count else {
                unsent = Array(bytes.dropFirst(taken))
                return false
            }
        }
        return true
    }

    private static func give<Failure: Error>(
        _ bytes: [UInt8], to transport: (UnsafeRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        try bytes.span.withUnsafeBytes { raw throws(Failure) in try transport(raw) }
    }
}

/// What a key that a connection exports is for (RFC 8446, section 7.5).
public struct ExportedKey: Sendable {
    let label: String
    /// Nothing for a key of which a connection has one alone.
    var context: [UInt8] = []
    /// The key's length, in bytes.
    var count = 32

    /// The proof of an event's code.
    public static let code = ExportedKey(label: "EXPORTER-beamscribe-code")
    /// The proof with whose key a node of a mesh writes.
    public static let peer = ExportedKey(label: "EXPORTER-beamscribe-peer")

    /// The keys and salts of the packets of voices, 56 bytes.
    ///
    /// - Parameter number: how many a connection had before.
    public static func voice(_ number: UInt32) -> ExportedKey {
        ExportedKey(
            label: "EXPERIMENTAL-beamscribe-voice-v1",
            context: withUnsafeBytes(of: number.bigEndian) { Array($0) }, count: 56)
    }
}
