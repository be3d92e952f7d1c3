import BeamscribeTLS

/// What an impostor does with one connection: TLS with the guest by a key of his own, and TLS with
/// the host as anybody may have it. All that the two say passes through his hands.
final class Interception {
    private let towardsGuest: TLSConnection
    private let towardsHost: TLSConnection
    private var forHost: ArraySlice<UInt8> = []
    private var forGuest: ArraySlice<UInt8> = []
    private var overheard: [UInt8] = []

    init(as impostor: HostKey) throws {
        towardsGuest = try TLSConnection(TLSContext(host: impostor))
        towardsHost = try TLSConnection(.guest())
    }

    /// Takes what came from both sides, and answers what to send to them.
    func exchange(
        fromHost: ArraySlice<UInt8>, fromGuest: ArraySlice<UInt8>
    ) -> (toGuest: ArraySlice<UInt8>, toHost: ArraySlice<UInt8>) {
        forHost += plaintext(of: fromGuest, on: towardsGuest)
        forGuest += plaintext(of: fromHost, on: towardsHost)
        let toGuest = records(of: &forGuest, on: towardsGuest)
        return (toGuest[...], records(of: &forHost, on: towardsHost)[...])
    }

    func takeOverheard() -> [UInt8] {
        defer { overheard = [] }
        return overheard
    }

    private func plaintext(of bytes: ArraySlice<UInt8>, on tls: TLSConnection) -> [UInt8] {
        var plaintext: [UInt8] = []
        // An error leaves its alert to be flushed, which the other side then gets.
        try? Array(bytes).withUnsafeBytes {
            try tls.receive($0) {
                plaintext += $0
                return true
            }
        }
        overheard += plaintext
        return plaintext
    }

    private func records(of plaintext: inout ArraySlice<UInt8>, on tls: TLSConnection) -> [UInt8] {
        var records = flush(tls)
        while tls.isEstablished, !plaintext.isEmpty {
            let count = (try? Array(plaintext).withUnsafeBytes { try tls.send($0) }) ?? 0
            guard count > 0 else { break }
            plaintext = plaintext.dropFirst(count)
            records += flush(tls)
        }
        return records
    }

    private func flush(_ tls: TLSConnection) -> [UInt8] {
        var records: [UInt8] = []
        _ = tls.flush { bytes in
            records += bytes
            return bytes.count
        }
        return records
    }
}
