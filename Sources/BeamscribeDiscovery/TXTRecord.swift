import BeamscribeCore

/// The key=value strings of a service (RFC 6763, section 6).
public struct TXTRecord: Equatable, Sendable {
    /// Keys and values in the record's order; a value is nil where there is a key alone.
    public private(set) var entries: [Entry] = []

    /// One string of a record.
    public struct Entry: Equatable, Sendable {
        /// What stands before the first `=`.
        public var key: String
        /// What stands behind it; nil where there is none.
        public var value: String?
    }

    /// A record that tells nothing.
    public init() {}

    /// Reads the record's strings. Of a key that comes twice the first counts; strings without a
    /// key are passed over (section 6.4).
    public init(strings: [[UInt8]]) {
        for string in strings.prefix(Self.maximumEntries) {
            let parts = string.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let key = parts.first, !key.isEmpty else { continue }
            let name = String(decoding: key, as: UTF8.self)
            guard !hasKey(name) else { continue }
            let value = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : nil
            entries.append(Entry(key: name, value: value))
        }
    }

    /// The value of `key`, whose case does not matter.
    public subscript(key: String) -> String? {
        entries.first { Self.isSame($0.key, key) }?.value
    }

    private func hasKey(_ key: String) -> Bool {
        entries.contains { Self.isSame($0.key, key) }
    }

    /// Adds `key=value`, the value cut between characters so that the string takes at most 255
    /// bytes.
    public mutating func set(_ key: String, _ value: String) {
        entries.removeAll { Self.isSame($0.key, key) }
        entries.append(Entry(key: key, value: Self.cut(value, for: key)))
    }

    /// Keys are ASCII (section 6.4); what is not is the same only where every byte is.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.elementsEqual(other.utf8) { lowercased($0) == lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// As much of `value` as a record holds under `key`.
    static func cut(_ value: String, for key: String) -> String {
        SafeText.label(value, bytes: Limits.txtStringBytes - key.utf8.count - 1)
    }

    /// The strings as they go into the record.
    public var strings: [[UInt8]] {
        entries.map { entry in
            Array(entry.key.utf8) + (entry.value.map { Array("=".utf8) + Array($0.utf8) } ?? [])
        }
    }

    /// A record of more strings than this is not read to its end.
    private static let maximumEntries = 64
}
