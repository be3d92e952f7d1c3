/// Writes one flat JSON object into a buffer (RFC 8259).
///
/// The general encoder takes several microseconds a caption, most of the host's time; captions are
/// flat and many, so they are written directly.
struct JSONObjectWriter {
    private(set) var bytes: [UInt8] = []
    private var isFirst = true

    init(reservingCapacity capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    /// Puts `prefix` bytes of zero before the object, to be filled in later.
    mutating func begin(prefix: Int) {
        bytes.append(contentsOf: repeatElement(0, count: prefix))
        bytes.append(UInt8(ascii: "{"))
    }

    mutating func end() {
        bytes.append(UInt8(ascii: "}"))
    }

    mutating func write(_ key: StaticString, _ value: String) {
        write(key)
        writeString(value)
    }

    mutating func write(_ key: StaticString, _ value: Int) {
        write(key)
        bytes.append(contentsOf: String(value).utf8)
    }

    /// A value that is not finite is left out, with its key: JSON has no word for it.
    mutating func write(_ key: StaticString, _ value: Double) {
        guard value.isFinite else { return }
        write(key)
        bytes.append(contentsOf: value.description.utf8)
    }

    mutating func write(_ key: StaticString, _ value: Bool) {
        write(key)
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Keys are the program's own and need no escapes.
    private mutating func write(_ key: StaticString) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        bytes.append(UInt8(ascii: "\""))
        key.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func writeString(_ value: String) {
        var value = value
        bytes.append(UInt8(ascii: "\""))
        value.withUTF8 { text in
            var start = 0
            for index in text.indices where Self.needsEscape(text[index]) {
                bytes.append(contentsOf: text[start..<index])
                writeEscape(of: text[index])
                start = index + 1
            }
            bytes.append(contentsOf: text[start...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func writeEscape(of byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        if byte < 0x20 {
            let digits = Array("0123456789abcdef".utf8)
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 15)])
        } else {
            bytes.append(byte)
        }
    }
}
