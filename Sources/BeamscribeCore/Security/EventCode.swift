/// The code of an event, from which host and guests derive the key that they prove to each other.
///
/// It never prints itself: it must not get into a log by accident. Whoever is to show it asks for
/// ``display``.
public struct EventCode: Hashable, Sendable {
    /// How many characters a random code has: 50 bits.
    public static let randomLength = 10
    /// Crockford's base32: digits and letters without I, L, O (which are read as 1, 1, 0) and U.
    public static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    /// How many characters ``display`` has between two dashes.
    private static let groupLength = 5

    /// What the key is derived from: the code's characters in upper-case ASCII, with O as 0, I and
    /// L as 1, and without anything between them: "7K3M9QX2TA". 1...64 bytes.
    public let characters: [UInt8]

    /// Reads a code as people type it and as phones change it: case does not matter, spaces and
    /// dashes of any kind are passed over, O is 0, I and L are 1 (Crockford's base32).
    ///
    /// Letters and digits are all taken, so that a code may be made up.
    public init(_ typed: String) throws(EventCodeError) {
        var characters: [UInt8] = []
        for scalar in TypedText.withoutSeparators(typed) {
            guard let character = Self.character(scalar) else { throw .unusableCharacter }
            guard characters.count < Limits.codeCharacters else { throw .tooLong }
            characters.append(character)
        }
        guard !characters.isEmpty else { throw .empty }
        self.characters = characters
    }

    private init(characters: [UInt8]) {
        self.characters = characters
    }

    /// A code of 10 characters, each of Crockford's 32 as likely as any other. The few that would
    /// look made up (``weakness``) are drawn again.
    public static func random(using generator: inout some RandomNumberGenerator) -> EventCode {
        while true {
            let code = drawn(using: &generator)
            if code.weakness == nil { return code }
        }
    }

    /// A code as it is drawn, weak-looking or not.
    package static func drawn(using generator: inout some RandomNumberGenerator) -> EventCode {
        let characters = (0..<randomLength).map { _ in
            alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
        }
        return EventCode(characters: characters)
    }

    /// The code as it is shown to people, in groups of five: "7K3M9-QX2TA". The last group is
    /// shorter where the characters do not fill it.
    public var display: String {
        let groups = stride(from: 0, to: characters.count, by: Self.groupLength).map {
            let end = min($0 + Self.groupLength, characters.count)
            return String(decoding: characters[$0..<end], as: UTF8.self)
        }
        return groups.joined(separator: "-")
    }

    private static func character(_ scalar: Unicode.Scalar) -> UInt8? {
        guard let character = UInt8(exactly: scalar.value) else { return nil }
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): return normalised(character - 32)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): return normalised(character)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return character
        default: return nil
        }
    }

    /// What an upper-case letter is read as.
    static func normalised(_ letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "O"): UInt8(ascii: "0")
        case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
        default: letter
        }
    }
}

extension EventCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "(a code)" }
    public var debugDescription: String { description }
    /// Without children: what prints a value's parts gets none.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
