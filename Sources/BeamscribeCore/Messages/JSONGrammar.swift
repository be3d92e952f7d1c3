/// Checks that bytes are one JSON text (RFC 8259) in UTF-8.
///
/// The general decoder looks at the values that it is asked for, and takes any bytes in the others.
/// A packet that is kept and sent on must be one for every reader.
struct JSONGrammar {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    /// As deep as the general decoder reads.
    private static let deepest = 512

    /// Whether `bytes` are one JSON text, with nothing before or behind but white space.
    static func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard String(validating: bytes, as: UTF8.self) != nil else { return false }
        var grammar = JSONGrammar(bytes: bytes)
        return grammar.takeValue(within: deepest) && grammar.position == bytes.count
    }

    private init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    // MARK: Values

    /// Takes a value with the white space around it.
    private mutating func takeValue(within depth: Int) -> Bool {
        takeSpace()
        guard depth > 0, position < bytes.count else { return false }
        let isValue =
            switch bytes[position] {
            case UInt8(ascii: "{"): takeObject(within: depth)
            case UInt8(ascii: "["): takeArray(within: depth)
            case UInt8(ascii: "\""): takeString()
            case UInt8(ascii: "t"): take("true")
            case UInt8(ascii: "f"): take("false")
            case UInt8(ascii: "n"): take("null")
            default: takeNumber()
            }
        takeSpace()
        return isValue
    }

    private mutating func takeObject(within depth: Int) -> Bool {
        takeList(from: "{", to: "}") { grammar in
            grammar.takeSpace()
            guard grammar.takeString() else { return false }
            grammar.takeSpace()
            return grammar.take(":") && grammar.takeValue(within: depth - 1)
        }
    }

    private mutating func takeArray(within depth: Int) -> Bool {
        takeList(from: "[", to: "]") { $0.takeValue(within: depth - 1) }
    }

    private mutating func takeList(
        from begin: StaticString, to end: StaticString,
        _ takeElement: (inout JSONGrammar) -> Bool
    ) -> Bool {
        guard take(begin) else { return false }
        takeSpace()
        if take(end) { return true }
        repeat {
            guard takeElement(&self) else { return false }
        } while take(",")
        return take(end)
    }

    private mutating func takeString() -> Bool {
        guard take("\"") else { return false }
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"):
                guard takeEscape() else { return false }
            case ..<0x20: return false
            default: break
            }
        }
        return false
    }

    /// Takes the rest of an escape, behind its backslash.
    private mutating func takeEscape() -> Bool {
        guard position < bytes.count else { return false }
        let byte = bytes[position]
        position += 1
        guard byte == UInt8(ascii: "u") else { return #""\/bfnrt"#.utf8.contains(byte) }
        let digits = bytes[position...].prefix(4)
        position += digits.count
        return digits.count == 4 && digits.allSatisfy(Self.isHexDigit)
    }

    private mutating func takeNumber() -> Bool {
        _ = take("-")
        if !take("0"), !takeDigits() { return false }
        if take("."), !takeDigits() { return false }
        guard take("e") || take("E") else { return true }
        _ = take("+") || take("-")
        return takeDigits()
    }

    // MARK: Bytes

    /// Takes at least one decimal digit.
    private mutating func takeDigits() -> Bool {
        let digits = bytes[position...].prefix { Self.digits.contains($0) }
        position += digits.count
        return !digits.isEmpty
    }

    private mutating func takeSpace() {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
    }

    private mutating func take(_ word: StaticString) -> Bool {
        let isNext = word.withUTF8Buffer { bytes[position...].starts(with: $0) }
        if isNext { position += word.utf8CodeUnitCount }
        return isNext
    }

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        let letter = byte | 0x20
        return digits.contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(letter)
    }
}
