import BeamscribeCore

/// A text as one word of a shell's language.
///
/// It works on bytes, as shells do. To Swift a quote and the combining character behind it are one
/// `Character`, which is no quote; to a shell the quote is one.
struct ShellWord {
    private let bytes: [UInt8]

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The word in single quotes, with the same meaning to sh, bash, zsh and fish.
    ///
    /// A backslash in the quotes would be one to POSIX and quote what follows to fish, so both
    /// signs stand outside. There each follows a closing quote, never a letter: in an old Asian
    /// encoding of the shell's locale a backslash behind one could be the letter's second byte.
    var quoted: String {
        var quoted = [Self.quote]
        for byte in bytes {
            if byte == Self.quote || byte == Self.backslash {
                quoted += [Self.quote, Self.backslash, byte, Self.quote]
            } else {
                quoted.append(byte)
            }
        }
        return String(decoding: quoted + [Self.quote], as: UTF8.self)
    }

    /// Whether it stands for itself without quotes, wherever a word can stand. `:`, `=` and `@` do,
    /// too, but bash would complete what is behind them by itself.
    var isPlain: Bool { !bytes.isEmpty && bytes.allSatisfy(Self.isPlain) }

    /// Whether it stands for itself between bash's double quotes. In an interactive shell `!` does
    /// not.
    var isPlainInDoubleQuotes: Bool {
        !bytes.isEmpty && !bytes.contains(where: "$`\"\\!".utf8.contains)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "/"): true
        default: false
        }
    }

    private static let quote = UInt8(ascii: "'")
    private static let backslash = UInt8(ascii: "\\")
}
