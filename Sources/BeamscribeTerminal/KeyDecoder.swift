import BeamscribeCore

/// The keys in what a terminal sends, however it is cut into reads.
///
/// Between two marks (xterm's private mode 2004) stands what was pasted: one key, whatever is in it.
///
/// Invariant: what is kept between calls is the beginning of exactly one key, shorter than
/// `longest`, and of a paste at most ``Limits/pasteBytes``.
public struct KeyDecoder: Sendable {
    /// No key is longer. What goes on longer is not a key, and must not be collected for ever.
    private static let longest = 32
    private static let escape: UInt8 = 0x1B

    private static let pasteBegins = Array("\u{1B}[200~".utf8)
    private static let pasteEnds = Array("\u{1B}[201~".utf8)

    private var pending: [UInt8] = []
    /// What was pasted so far; nil where nothing is being pasted.
    private var paste: [UInt8]?

    public init() {}

    /// Whether ``timeout()`` is to be called if nothing more comes soon (50 ms is usual).
    public var isWaiting: Bool { !pending.isEmpty }

    /// The keys that are complete with `bytes`.
    public mutating func feed(_ bytes: [UInt8]) -> [Key] {
        pending += bytes
        var rest = pending[...]
        var keys: [Key] = []
        while !rest.isEmpty {
            if paste != nil {
                guard takePaste(&rest, &keys) else { break }
            } else if rest.starts(with: Self.pasteBegins) {
                rest = rest.dropFirst(Self.pasteBegins.count)
                paste = []
            } else if let (key, length) = Self.first(in: rest) {
                keys.append(key)
                rest = rest.dropFirst(length)
            } else {
                break
            }
        }
        pending = Array(rest)
        return keys
    }

    /// Takes what is pasted up to the mark of its end; false where that may still come.
    private mutating func takePaste(_ rest: inout ArraySlice<UInt8>, _ keys: inout [Key]) -> Bool {
        while let byte = rest.first {
            if rest.starts(with: Self.pasteEnds) {
                rest = rest.dropFirst(Self.pasteEnds.count)
                finishPaste(&keys)
                paste = nil
                return true
            }
            if Self.pasteEnds.starts(with: rest) { return false }
            paste?.append(byte)
            rest = rest.dropFirst()
            // What is longer comes as several.
            if paste?.count ?? 0 >= Limits.pasteBytes, byte < 0x80 { finishPaste(&keys) }
        }
        return false
    }

    private mutating func finishPaste(_ keys: inout [Key]) {
        let text = Self.pasted(paste ?? [])
        paste = []
        if !text.isEmpty { keys.append(.pasted(text)) }
    }

    /// The text of a paste, with a line feed between its lines and nothing in it that is no text.
    private static func pasted(_ bytes: [UInt8]) -> String {
        let lines = String(decoding: bytes, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return lines.map { SafeText.line(String($0).replacing("\t", with: " ")) }.joined(
            separator: "\n")
    }

    /// Nothing came for a while: what looked like the beginning of a longer key is all there is.
    /// An escape is the Escape key then.
    public mutating func timeout() -> [Key] {
        guard isWaiting, paste == nil else { return [] }
        defer { pending = [] }
        return [pending == [Self.escape] ? .escape : .unknown]
    }

    /// The first key and how many bytes it takes, or nil if it is not complete.
    private static func first(in bytes: ArraySlice<UInt8>) -> (Key, Int)? {
        guard let byte = bytes.first else { return nil }
        switch byte {
        case escape: return escaped(bytes)
        case 0x03: return (.interrupt, 1)
        case 0x0A, 0x0D: return (.enter, 1)
        case 0x08, 0x7F: return (.backspace, 1)
        case 0x09: return (.tab, 1)
        // Ctrl takes the upper bits off a letter.
        case 0x01...0x1A: return (.control(Character(Unicode.Scalar(byte | 0x60))), 1)
        case 0x1D: return (.control("]"), 1)
        case 0..<0x20: return (.unknown, 1)
        case 0x20..<0x80: return (.character(Character(Unicode.Scalar(byte))), 1)
        default: return encoded(bytes)
        }
    }

    /// A control character after an escape is a key of its own; with anything else it is a key
    /// pressed together with Alt, which means nothing here.
    private static func escaped(_ bytes: ArraySlice<UInt8>) -> (Key, Int)? {
        let rest = bytes.dropFirst()
        guard let byte = rest.first else { return nil }
        switch byte {
        case UInt8(ascii: "["): return controlSequence(bytes)
        case UInt8(ascii: "O"):
            return rest.dropFirst().first.map { (function(final: $0, parameters: []), 3) }
        case 0..<0x20: return (.escape, 1)
        default: return first(in: rest).map { (.unknown, $0.1 + 1) }
        }
    }

    /// `ESC [`, parameters, a final byte. The Linux console sends `ESC [ [ A` for F1.
    private static func controlSequence(_ bytes: ArraySlice<UInt8>) -> (Key, Int)? {
        let body = bytes.dropFirst(2)
        if body.first == UInt8(ascii: "[") { return body.count > 1 ? (.unknown, 4) : nil }
        guard let end = body.firstIndex(where: { !(0x20...0x3F).contains($0) }) else {
            return bytes.count < longest ? nil : (.unknown, bytes.count)
        }
        let length = end - bytes.startIndex
        guard (0x40...0x7E).contains(bytes[end]) else { return (.unknown, length) }
        if body.startIndex == end, let key = focus(final: bytes[end]) { return (key, length + 1) }
        if bytes[end] == UInt8(ascii: "u") {
            return (KittyKey(parameters: body[..<end])?.key ?? .unknown, length + 1)
        }
        if bytes[end] == UInt8(ascii: "R"), let key = cursor(body[..<end]) {
            return (key, length + 1)
        }
        let key = function(final: bytes[end], parameters: body[..<end])
        return (KittyKey.isRelease(body[..<end]) ? .unknown : key, length + 1)
    }

    /// What a terminal reports that was asked to (xterm's private mode 1004).
    private static func focus(final: UInt8) -> Key? {
        switch Unicode.Scalar(final) {
        case "I": .focusGained
        case "O": .focusLost
        default: nil
        }
    }

    /// ECMA-48's CPR, the answer to DSR; nil for what is not one.
    private static func cursor(_ parameters: ArraySlice<UInt8>) -> Key? {
        let numbers = String(decoding: parameters, as: UTF8.self)
            .split(separator: ";", omittingEmptySubsequences: false).map { Int(bounded: $0) }
        guard numbers.count == 2, let row = numbers[0], let column = numbers[1] else { return nil }
        return .cursorAt(row: row, column: column)
    }

    private static func function(final: UInt8, parameters: ArraySlice<UInt8>) -> Key {
        switch Unicode.Scalar(final) {
        case "A": .up
        case "B": .down
        case "C": .right
        case "D": .left
        case "H": .home
        case "F": .end
        case "~": numbered(parameters)
        default: .unknown
        }
    }

    /// The first parameter; what follows it says which modifiers were held.
    private static func numbered(_ parameters: ArraySlice<UInt8>) -> Key {
        switch String(decoding: parameters.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self) {
        case "1", "7": .home
        case "3": .delete
        case "4", "8": .end
        case "5": .pageUp
        case "6": .pageDown
        default: .unknown
        }
    }

    /// A character of several bytes. A byte that is out of place counts alone.
    private static func encoded(_ bytes: ArraySlice<UInt8>) -> (Key, Int)? {
        let length = bytes[bytes.startIndex] < 0xE0 ? 2 : bytes[bytes.startIndex] < 0xF0 ? 3 : 4
        let sequence = bytes.prefix(length)
        if let text = String(validating: sequence, as: UTF8.self), let character = text.first {
            return (SafeText.isSafe(text) ? .character(character) : .unknown, length)
        }
        let isBegun = (0xC2...0xF4).contains(bytes[bytes.startIndex])
        let isGoingOn = sequence.dropFirst().allSatisfy { (0x80...0xBF).contains($0) }
        return sequence.count < length && isBegun && isGoingOn ? nil : (.unknown, 1)
    }
}
