import BeamscribeTLS

/// What an impostor does with one connection: TLS with the guest by a key of his own, and TLS with
/// the host as anybody may have it. All that the two say passes through his hands.
final class Interception {
    private let towardsGuest: TLSConnection
    private let towardsHost: TLSConnection
    private var forHost: ArraySlice<UInt8> = []
    private var forGuest: ArraySlice<UInt8> = []
    private var overheard: [UInt8] = []
    private let hidesLogs: Bool

    init(as impostor: HostKey, hidingLogs hidesLogs: Bool) throws {
        self.hidesLogs = hidesLogs
        towardsGuest = try TLSConnection(TLSContext(host: impostor))
        towardsHost = try TLSConnection(.guest())
    }

    /// Takes what came from both sides, and answers what to send to them.
    func exchange(
        fromHost: ArraySlice<UInt8>, fromGuest: ArraySlice<UInt8>
    ) -> (toGuest: ArraySlice<UInt8>, toHost: ArraySlice<UInt8>) {
        let said = plaintext(of: fromGuest, on: towardsGuest)
        forHost += hidesLogs ? Self.withoutLogs(said) : said
        forGuest += plaintext(of: fromHost, on: towardsHost)
        let toGuest = records(of: &forGuest, on: towardsGuest)
        return (toGuest[...], records(of: &forHost, on: towardsHost)[...])
    }

    /// A key that nobody knows in its place, as long as it was. A handshake comes in one record.
    private static func withoutLogs(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        let key = Array("\"logs\"".utf8)
        for start in bytes.indices.dropLast(key.count) where bytes[start...].starts(with: key) {
            bytes[start + 1] = UInt8(ascii: "x")
        }
        return bytes
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
