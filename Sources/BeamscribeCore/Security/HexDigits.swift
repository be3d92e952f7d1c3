import FoundationEssentials

/// Hexadecimal digits (RFC 4648, section 8).
enum HexDigits {
    private static let digits = Array("0123456789abcdef".utf8)

    /// The value of a digit in either case; nil for anything else.
    static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit &- UInt8(ascii: "a") &+ 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit &- UInt8(ascii: "A") &+ 10
        default: nil
        }
    }

    /// Two lower-case digits a byte.
    static func text(_ bytes: [UInt8]) -> String {
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// A UUID in its usual form: lower-case digits in five groups (RFC 9562). A mesh node writes
    /// hundreds of them a second; Foundation's `uuidString` prints each byte with a format.
    static func text(_ id: UUID) -> String {
        withUnsafeBytes(of: id.uuid) { bytes in
            String(unsafeUninitializedCapacity: 36) { text in
                var end = 0
                for (place, byte) in bytes.enumerated() {
                    if [4, 6, 8, 10].contains(place) {
                        text[end] = UInt8(ascii: "-")
                        end += 1
                    }
                    text[end] = digits[Int(byte >> 4)]
                    text[end + 1] = digits[Int(byte & 15)]
                    end += 2
                }
                return end
            }
        }
    }

    /// The bytes that `text` spells; nil where it is not two digits a byte.
    static func bytes(_ text: String) -> [UInt8]? {
        let values = text.utf8.compactMap(value)
        guard values.count == text.utf8.count, values.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    /// `digits` in groups of four with spaces between, as people compare them.
    static func groups(_ digits: some StringProtocol) -> String {
        let bytes = Array(digits.utf8)
        let groups = stride(from: 0, to: bytes.count, by: 4).map {
            String(decoding: bytes[$0..<min($0 + 4, bytes.count)], as: UTF8.self)
        }
        return groups.joined(separator: " ")
    }
}
