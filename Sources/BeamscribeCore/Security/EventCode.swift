/// The code of an event, which guests prove to know, and the host with them, without telling it.
///
/// It never prints itself: it must not get into a log by accident. Whoever is to show it asks for
/// ``display``.
public struct EventCode: Hashable, Sendable {
    /// How many digits a made-up code has. They can be read out, and typed on any keyboard. There
    /// is one guess a connection and nothing to try them against otherwise, so that at five guesses
    /// a minute one machine needs 19 years for half of them.
    public static let randomLength = 8
    /// How many characters a code of one's own has at least.
    public static let leastLength = 6
    /// How many characters ``display`` has between two dashes.
    private static let groupLength = 4

    /// What is proved: the code's characters in upper-case ASCII, with O as 0, I and L as 1, and
    /// without anything between them: "48217730". 1...64 bytes.
    public let characters: [UInt8]

    /// Reads a code as people type it and as phones change it: case does not matter, spaces and
    /// dashes of any kind are passed over, O is 0, I and L are 1 (as in Crockford's base32), and
    /// full-width letters and the decimal digits of any script are those of ASCII.
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

    /// A code of eight digits, each as likely as any other. The few that would be guessed first
    /// (``weakness``) are drawn again.
    public static func random(using generator: inout some RandomNumberGenerator) -> EventCode {
        while true {
            let code = drawn(using: &generator)
            if code.weakness == nil { return code }
        }
    }

    /// A code as it is drawn, weak-looking or not.
    package static func drawn(using generator: inout some RandomNumberGenerator) -> EventCode {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let characters = (0..<randomLength).map { _ in
            UInt8.random(in: digits, using: &generator)
        }
        return EventCode(characters: characters)
    }

    /// The code as it is shown to people, in groups of four: "4821-7730". The last group is
    /// shorter where the characters do not fill it.
    public var display: String {
        let groups = stride(from: 0, to: characters.count, by: Self.groupLength).map {
            let end = min($0 + Self.groupLength, characters.count)
            return String(decoding: characters[$0..<end], as: UTF8.self)
        }
        return groups.joined(separator: "-")
    }

    private static func character(_ scalar: Unicode.Scalar) -> UInt8? {
        guard let character = ascii(scalar) else { return nil }
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): return normalised(character &- 32)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): return normalised(character)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return character
        default: return nil
        }
    }

    /// The letter or digit of ASCII that a scalar stands for.
    private static func ascii(_ scalar: Unicode.Scalar) -> UInt8? {
        if scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue {
            return UInt8(ascii: "0") &+ UInt8(saturating: value)
        }
        switch scalar.value {
        // Letters of full width lie as those of ASCII do.
        case 0xFF21...0xFF3A, 0xFF41...0xFF5A: return UInt8(clamping: scalar.value &- 0xFEE0)
        default: return UInt8(exactly: scalar.value)
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
