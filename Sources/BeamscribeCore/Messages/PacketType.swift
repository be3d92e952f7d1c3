/// Finds a packet's `"type"` without reading the rest of it into memory.
///
/// The general decoder takes up to 27 times a payload's bytes, so that it gets none that is large.
/// A later version's packet may be large all the same, and is passed over by its type alone.
enum PacketType {
    /// The type of the packet in `payload`; nil where there is none, or it is written with escapes.
    static func find(in payload: UnsafeRawBufferPointer) -> String? {
        var depth = 0
        var isKey = false
        var position = 0
        while position < payload.count {
            let byte = payload[position]
            position += 1
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                isKey = depth == 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ","): isKey = depth == 1
            case UInt8(ascii: "\""):
                guard let key = string(in: payload, &position) else { return nil }
                if isKey, key.spell("type") { return value(in: payload, behind: position) }
                isKey = false
            default: continue
            }
        }
        return nil
    }

    /// Known ones are short.
    private static func value(
        in payload: UnsafeRawBufferPointer, behind position: Int
    ) -> String? {
        let signs = payload[position...].drop { " \t\r\n:".utf8.contains($0) }
        guard signs.first == UInt8(ascii: "\"") else { return nil }
        var end = signs.startIndex + 1
        guard let raw = string(in: payload, &end), raw.count <= Limits.labelBytes,
            !raw.contains(UInt8(ascii: "\\"))
        else { return nil }
        return String(validating: raw, as: UTF8.self)
    }

    /// The bytes up to the quote that ends a string; `position` is behind that then.
    private static func string(
        in payload: UnsafeRawBufferPointer, _ position: inout Int
    ) -> UnsafeRawBufferPointer? {
        let start = position
        while position < payload.count {
            let byte = payload[position]
            position += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "\"") {
                return UnsafeRawBufferPointer(rebasing: payload[start..<position - 1])
            }
        }
        return nil
    }
}
