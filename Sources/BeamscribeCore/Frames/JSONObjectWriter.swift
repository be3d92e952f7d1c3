/// Writes one flat JSON object into a buffer (RFC 8259).
///
/// The general encoder takes several microseconds a caption, most of the host's time; captions are
/// flat and many, so they are written directly.
struct JSONObjectWriter {
    private(set) var bytes: [UInt8] = []
    /// Whether JSON has words for all that was to be written.
    private(set) var isWhole = true
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
        guard value.isFinite else {
            isWhole = false
            return
        }
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
            let raw = UnsafeRawBufferPointer(text)
            var start = 0
            while case let end = raw.endOfPlainText(from: start), end < raw.count {
                bytes.append(contentsOf: text[start..<end])
                writeEscape(of: text[end])
                start = end + 1
            }
            bytes.append(contentsOf: text[start...])
        }
        bytes.append(UInt8(ascii: "\""))
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

extension UnsafeRawBufferPointer {
    /// Where the first byte from `start` on is that a JSON string has as an escape only, or that ends
    /// it; `count` where there is none. Looks at eight bytes at once: of a caption's time on the way
    /// in and out this is the most.
    package func endOfPlainText(from start: Int) -> Int {
        var index = start
        while index + 8 <= count,
            Self.isPlain(loadUnaligned(fromByteOffset: index, as: UInt64.self))
        {
            index += 8
        }
        while index < count, self[index] >= 0x20, self[index] != UInt8(ascii: "\""),
            self[index] != UInt8(ascii: "\\")
        {
            index += 1
        }
        return index
    }

    /// Whether all bytes are ASCII, without DEL. Looks at eight at once.
    package var isASCII: Bool {
        let each: UInt64 = 0x0101_0101_0101_0101
        var (index, found): (Int, UInt64) = (0, 0)
        while index + 8 <= count {
            let bytes = loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let deletes = bytes ^ (each &* 0x7F)
            found |= bytes | (deletes &- each) & ~deletes
            index += 8
        }
        return found & (each << 7) == 0 && self[index...].allSatisfy { $0 < 0x7F }
    }

    /// A byte below n has its highest bit set in x - n, and not in x; one that is y is 0 in x ^ y.
    private static func isPlain(_ bytes: UInt64) -> Bool {
        let each: UInt64 = 0x0101_0101_0101_0101
        let quotes = bytes ^ (each &* UInt64(UInt8(ascii: "\"")))
        let backslashes = bytes ^ (each &* UInt64(UInt8(ascii: "\\")))
        let controls = (bytes &- each &* 0x20) & ~bytes
        let found = controls | (quotes &- each) & ~quotes | (backslashes &- each) & ~backslashes
        return found & (each << 7) == 0
    }
}
