/// Reads a JSON object of the usual shape quickly: flat, without white space, strings without
/// escapes, numbers without exponents.
///
/// Whatever is out of the ordinary is left to the general decoder: a nil or a false says "not me",
/// never "wrong".
package struct FlatObjectReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    /// The key whose row of a table is looked for, the bit of the row that is looked at, those of
    /// the rows whose keys have come, and whether the value was read.
    var key = UnsafeRawBufferPointer(start: nil, count: 0)
    var (row, seen): (UInt32, UInt32) = (0, 0)
    var isRead = false

    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Reads `{"key":value,...}` to the end of the bytes.
    ///
    /// - Parameter field: reads the value of a key with one of the methods below; false gives up.
    package mutating func readObject(
        _ field: (inout FlatObjectReader, UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        guard take("{") else { return false }
        repeat {
            guard let key = readRawString(), take(":"), field(&self, key) else { return false }
        } while take(",")
        return take("}") && position == bytes.count
    }

    // MARK: Values. A key that comes twice is out of the ordinary.

    package mutating func read(into field: inout String?) -> Bool {
        guard field == nil, let raw = readRawString(isText: true) else { return false }
        field = String(validating: raw, as: UTF8.self)
        return field != nil
    }

    package mutating func read(into field: inout Bool?) -> Bool {
        guard field == nil else { return false }
        if take("true") {
            field = true
        } else if take("false") {
            field = false
        }
        return field != nil
    }

    /// A whole number of at most 18 digits, bounded as ``OutsideJSON`` does.
    package mutating func read(into field: inout Int?) -> Bool {
        guard field == nil else { return false }
        let digits = readDigits()
        guard (1...18).contains(digits.count), digits.count == 1 || digits[0] != Self.zero else {
            return false
        }
        field = Int(bounding: digits.reduce(0) { $0 * 10 + Int($1 &- Self.zero) })
        return true
    }

    /// Digits with or without a fraction: `1795218031.822723`. So many of them that no number is
    /// as large are out of the ordinary, too; the general decoder refuses them.
    package mutating func read(into field: inout Double?) -> Bool {
        guard field == nil else { return false }
        let start = position
        let whole = readDigits()
        guard !whole.isEmpty, whole.count == 1 || whole[0] != Self.zero else { return false }
        if take("."), readDigits().isEmpty { return false }
        let number = Double(String(decoding: bytes[start..<position], as: UTF8.self))
        guard let number, number.isFinite else { return false }
        field = Double(boundingSeconds: number)
        return true
    }

    /// Passes over a text, a number or a truth value that nobody here wants: a later version's. What
    /// the general decoder would refuse in it is out of the ordinary.
    mutating func skipValue(of key: UnsafeRawBufferPointer) -> Bool {
        guard String(validating: key, as: UTF8.self) != nil else { return false }
        if let text = readRawString(isText: true) {
            return String(validating: text, as: UTF8.self) != nil
        }
        var (flag, number): (Bool?, Double?)
        return read(into: &flag) || read(into: &number)
    }

    /// A string's bytes, if it has no escapes and no control characters.
    ///
    /// - Parameter isText: whether it may well be long; a key is not.
    mutating func readRawString(isText: Bool = false) -> UnsafeRawBufferPointer? {
        guard take("\"") else { return nil }
        let start = position
        if isText { position = bytes.endOfPlainText(from: position) }
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

    private mutating func readDigits() -> UnsafeRawBufferPointer {
        let start = position
        while position < bytes.count, (Self.zero...Self.zero &+ 9).contains(bytes[position]) {
            position += 1
        }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<position])
    }

    private mutating func take(_ word: StaticString) -> Bool {
        let isNext = word.withUTF8Buffer { bytes.dropFirst(position).starts(with: $0) }
        if isNext { position += word.utf8CodeUnitCount }
        return isNext
    }

    private static let zero = UInt8(ascii: "0")
}

extension UnsafeRawBufferPointer {
    /// Whether these are the bytes of `word`.
    package func spell(_ word: StaticString) -> Bool {
        word.withUTF8Buffer { elementsEqual($0) }
    }
}
