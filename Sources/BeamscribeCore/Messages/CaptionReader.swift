/// Reads the captions of the usual shape quickly: a flat JSON object, strings without escapes.
///
/// A late guest reads a hundred thousand of them at once, and the general decoder takes ten
/// microseconds for each. Whatever is out of the ordinary is left to that: a nil says "not me",
/// never "wrong".
struct CaptionReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    private var fields = Fields()

    private struct Fields {
        var isCaption = false
        var isFinal: Bool?
        var seq: Int?
        var line: String?
        var revision: Int?
        var text: String?
        var sentTimestamp: Double?
        var speaker: String?
        var lang: String?
        var start: Double?
        var end: Double?
        var replaces: Int?
    }

    /// The caption that `payload` is, if it is one of the usual shape.
    static func caption(in payload: UnsafeRawBufferPointer) -> LiveChunk? {
        var reader = CaptionReader(payload)
        guard reader.readObject() else { return nil }
        return reader.caption
    }

    private init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    private var caption: LiveChunk? {
        guard fields.isCaption, let isFinal = fields.isFinal, let line = fields.line,
            let text = fields.text, let sentTimestamp = fields.sentTimestamp
        else { return nil }
        var chunk = LiveChunk(final: 0, line: line, text: text, sentTimestamp: sentTimestamp)
        chunk.isFinal = isFinal
        chunk.seq = fields.seq
        chunk.revision = fields.revision
        chunk.speaker = fields.speaker
        chunk.lang = fields.lang
        chunk.start = fields.start
        chunk.end = fields.end
        chunk.replaces = fields.replaces
        return chunk
    }

    // MARK: The object

    /// Reads `{"key":value,...}` without white space, which no host writes between them.
    private mutating func readObject() -> Bool {
        guard take("{") else { return false }
        repeat {
            guard let key = readRawString(), take(":"), readValue(of: key) else { return false }
        } while take(",")
        return take("}") && position == bytes.count
    }

    private mutating func readValue(of key: UnsafeRawBufferPointer) -> Bool {
        if Self.key(key, is: "type") {
            guard !fields.isCaption, let type = readRawString() else { return false }
            fields.isCaption = Self.key(type, is: "liveChunk")
            return fields.isCaption
        }
        if Self.key(key, is: "text") { return readString(into: \.text) }
        if Self.key(key, is: "seq") { return readInteger(into: \.seq) }
        if Self.key(key, is: "line") { return readString(into: \.line) }
        if Self.key(key, is: "isFinal") { return readBoolean() }
        if Self.key(key, is: "sentTimestamp") { return readNumber(into: \.sentTimestamp) }
        if Self.key(key, is: "speaker") { return readString(into: \.speaker) }
        if Self.key(key, is: "lang") { return readString(into: \.lang) }
        if Self.key(key, is: "start") { return readNumber(into: \.start) }
        if Self.key(key, is: "end") { return readNumber(into: \.end) }
        if Self.key(key, is: "replaces") { return readInteger(into: \.replaces) }
        if Self.key(key, is: "revision") { return readInteger(into: \.revision) }
        return false
    }

    private static func key(_ bytes: UnsafeRawBufferPointer, is name: StaticString) -> Bool {
        name.withUTF8Buffer { bytes.elementsEqual($0) }
    }

    // MARK: Values. A key that comes twice is out of the ordinary.

    private mutating func readString(into field: WritableKeyPath<Fields, String?>) -> Bool {
        guard fields[keyPath: field] == nil, let raw = readRawString(),
            let text = String(validating: raw, as: UTF8.self)
        else { return false }
        fields[keyPath: field] = text
        return true
    }

    /// A string's bytes, if it has no escapes and no control characters.
    private mutating func readRawString() -> UnsafeRawBufferPointer? {
        guard take("\"") else { return nil }
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                position += 1
                return UnsafeRawBufferPointer(rebasing: bytes[start..<(position - 1)])
            }
            guard byte >= 0x20, byte != UInt8(ascii: "\\") else { return nil }
            position += 1
        }
        return nil
    }

    private mutating func readBoolean() -> Bool {
        guard fields.isFinal == nil else { return false }
        if take("true") {
            fields.isFinal = true
        } else if take("false") {
            fields.isFinal = false
        }
        return fields.isFinal != nil
    }

    /// A whole number of at most 18 digits.
    private mutating func readInteger(into field: WritableKeyPath<Fields, Int?>) -> Bool {
        guard fields[keyPath: field] == nil else { return false }
        let digits = readDigits()
        guard (1...18).contains(digits.count), digits.count == 1 || digits[0] != zero else {
            return false
        }
        fields[keyPath: field] = digits.reduce(0) { $0 * 10 + Int($1 - zero) }
        return true
    }

    /// Digits with or without a fraction: `1795218031.822723`.
    private mutating func readNumber(into field: WritableKeyPath<Fields, Double?>) -> Bool {
        guard fields[keyPath: field] == nil else { return false }
        let start = position
        let whole = readDigits()
        guard !whole.isEmpty, whole.count == 1 || whole[0] != zero else { return false }
        if take("."), readDigits().isEmpty { return false }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        fields[keyPath: field] = Double(text)
        return fields[keyPath: field] != nil
    }

    private mutating func readDigits() -> UnsafeRawBufferPointer {
        let start = position
        while position < bytes.count, (zero...zero + 9).contains(bytes[position]) { position += 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<position])
    }

    private mutating func take(_ word: StaticString) -> Bool {
        let isNext = word.withUTF8Buffer { bytes.dropFirst(position).starts(with: $0) }
        if isNext { position += word.utf8CodeUnitCount }
        return isNext
    }

    private var zero: UInt8 { UInt8(ascii: "0") }
}
