public import BeamscribeCore
internal import COpenSSL
internal import Dispatch

/// The key that stands for an event's code: who has it proves that in the handshake.
public struct PreSharedKey: Sendable, Equatable {
    let bytes: [UInt8]

    /// The name of the key in the handshake (RFC 8446, section 4.2.11).
    static let identity: [UInt8] = Array("beamscribe-v1".utf8)
    /// The key's length, in bytes.
    static let length = 32

    /// Takes a key as it is; nil if it has not 32 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// Derives the key from a code with scrypt (RFC 7914): salt "beamscribe-psk-v1", N = 2^15,
    /// r = 8, p = 1. That takes 32 MiB and about a tenth of a second, on a thread of its own: who
    /// guesses codes pays as much for each.
    public init(derivedFrom code: EventCode) async throws(TLSError) {
        let derived = await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(returning: Self.scrypt(code.characters))
            }
        }
        guard let derived else { throw .library("scrypt needs 32 MiB of memory") }
        bytes = derived
    }

    private static func scrypt(_ characters: [UInt8]) -> [UInt8]? {
        let salt = Array("beamscribe-psk-v1".utf8)
        var key = [UInt8](repeating: 0, count: length)
        let code = characters.withUnsafeBytes {
            EVP_PBE_scrypt(
                $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, salt, salt.count,
                1 << 15, 8, 1, 64 << 20, &key, key.count)
        }
        return code == 1 ? key : nil
    }
}

extension PreSharedKey: CustomStringConvertible, CustomReflectable {
    /// The key is a secret: nothing that prints what it is given prints it.
    public var description: String { "(a key)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
