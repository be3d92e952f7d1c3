import BeamscribeCore

/// A device's address in Bluetooth.
public struct BluetoothAddress: Hashable, Sendable {
    /// Its six bytes, as it is written: the first byte is the most significant.
    public let bytes: [UInt8]
    /// Whose number it is.
    public let kind: Kind

    /// Who has assigned an address (Bluetooth Core Specification, Vol 6, Part B, section 1.3).
    public enum Kind: Sendable {
        /// The adapter's maker.
        case `public`
        /// Chance; many devices change it every few minutes.
        case random
    }

    /// Nil unless there are six bytes.
    public init?(bytes: [UInt8], kind: Kind) {
        guard bytes.count == 6 else { return nil }
        self.bytes = bytes
        self.kind = kind
    }

    /// Reads `00:AA:01:00:00:42`.
    public init?(_ text: String, kind: Kind) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { $0.count == 2 ? UInt8($0, radix: 16) : nil }
        guard parts.count == 6 else { return nil }
        self.init(bytes: bytes, kind: kind)
    }
}

extension BluetoothAddress: CustomStringConvertible {
    public var description: String {
        bytes.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "0" + digits : digits
        }.joined(separator: ":")
    }
}
