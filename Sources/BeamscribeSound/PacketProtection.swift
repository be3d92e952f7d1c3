import BeamscribeCore
public import BeamscribeVoice
import CSRTP
import CVoiceCipher

/// Encrypts and authenticates packets between a guest and its host: SRTP with AEAD_AES_128_GCM (RFC 3711,
/// RFC 7714), by libsrtp, which leaves AES to OpenSSL.
///
/// It belongs to one thread, as libsrtp has it.
public final class PacketProtection: VoiceProtection {
    private static let isReady = srtp_init() == srtp_err_status_ok
    /// Whether OpenSSL encrypts. Where it does not libsrtp's own does the same, and takes longer.
    package static let usesOpenSSL = isReady && cvoice_use_openssl() != 0
    /// Packets that may overtake each other.
    private static let window: UInt = 256

    private let outgoing: srtp_t
    private let incoming: srtp_t
    private let side: VoiceSide
    private let incomingKey: [UInt8]
    /// Sources of which a packet was opened.
    private var opened: Set<UInt32> = []

    /// How much longer protection makes a packet at most, in bytes.
    public static let growth = VoiceProtectionRoom.bytes

    /// - Parameters:
    ///   - keys: of the connection.
    ///   - side: which end this is.
    /// - Returns: nil where libsrtp does not work.
    public init?(keys: VoiceKeys, side: VoiceSide) {
        guard Self.isReady else { return nil }
        _ = Self.usesOpenSSL
        let own = side == .host ? keys.host : keys.guest
        let others = side == .host ? keys.guest : keys.host
        var (outgoing, incoming): (srtp_t?, srtp_t?)
        Self.withPolicy(ssrc_any_outbound, own) { _ = srtp_create(&outgoing, &$0) }
        Self.withPolicy(ssrc_any_inbound, others) { _ = srtp_create(&incoming, &$0) }
        guard let outgoing, let incoming else {
            if let outgoing { srtp_dealloc(outgoing) }
            if let incoming { srtp_dealloc(incoming) }
            return nil
        }
        (self.outgoing, self.incoming) = (outgoing, incoming)
        (self.side, incomingKey) = (side, others)
    }

    deinit {
        srtp_dealloc(outgoing)
        srtp_dealloc(incoming)
    }

    private static func withPolicy(
        _ kind: srtp_ssrc_type_t, _ key: [UInt8], of source: UInt32 = 0,
        _ body: (inout srtp_policy_t) -> Void
    ) {
        var key = key
        key.withUnsafeMutableBufferPointer { key in
            var policy = srtp_policy_t()
            srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtp)
            srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtcp)
            policy.ssrc = srtp_ssrc_t(type: kind, value: source)
            policy.key = key.baseAddress
            policy.window_size = window
            body(&policy)
        }
    }

    public func protect(_ packet: UnsafeMutableRawBufferPointer, count: Int) -> Int? {
        guard count + Self.growth <= packet.count else { return nil }
        var length = Int32(clamping: count)
        let status =
            RTCPPacket.isControl(UnsafeRawBufferPointer(packet))
            ? srtp_protect_rtcp(outgoing, packet.baseAddress, &length)
            : srtp_protect(outgoing, packet.baseAddress, &length)
        return status == srtp_err_status_ok ? Int(length) : nil
    }

    public func open(_ packet: UnsafeMutableRawBufferPointer) -> Int? {
        var length = Int32(clamping: packet.count)
        if RTCPPacket.isControl(UnsafeRawBufferPointer(packet)) {
            let status = srtp_unprotect_rtcp(incoming, packet.baseAddress, &length)
            return status == srtp_err_status_ok ? Int(length) : nil
        }
        guard let header = try? RTPHeader(parsing: UnsafeRawBufferPointer(packet)) else {
            return nil
        }
        // What cannot be opened is destroyed in the attempt.
        let copy = isNewListener(of: header) ? Array(packet) : []
        var status = srtp_unprotect(incoming, packet.baseAddress, &length)
        if status == srtp_err_status_auth_fail, !copy.isEmpty {
            packet.copyBytes(from: copy)
            length = Int32(clamping: packet.count)
            status = openLate(packet, of: header.source, &length)
        }
        guard status == srtp_err_status_ok else { return nil }
        opened.insert(header.source)
        return Int(length)
    }

    /// Whether a talker's numbers may have gone round before anything of him came: how often they have is
    /// encrypted along, and taken to be not at all.
    private func isNewListener(of header: RTPHeader) -> Bool {
        side == .guest && header.sequence < 0x8000 && !opened.contains(header.source)
    }

    private func openLate(
        _ packet: UnsafeMutableRawBufferPointer, of source: UInt32, _ length: inout Int32
    ) -> srtp_err_status_t {
        var status = srtp_err_status_fail
        Self.withPolicy(ssrc_specific, incomingKey, of: source) {
            status = srtp_add_stream(incoming, &$0)
        }
        guard status == srtp_err_status_ok else { return status }
        srtp_set_stream_roc(incoming, source, 1)
        status = srtp_unprotect(incoming, packet.baseAddress, &length)
        if status != srtp_err_status_ok { srtp_remove_stream(incoming, source.bigEndian) }
        return status
    }

    public func forget(_ source: UInt32) {
        _ = srtp_remove_stream(outgoing, source.bigEndian)
        _ = srtp_remove_stream(incoming, source.bigEndian)
        opened.remove(source)
    }
}
