/// Writes words so that players of subtitles show them as words, and undoes that for a reader.
///
/// Most players turn subtitles into ASS, which takes `\n` and `{...}` for commands and has no
/// escape that all players know. U+2060, an invisible character, therefore separates the signs
/// of a command. Braces become signs that look alike, because nothing separates them.
/// docs/EXPORT.md lists the players that were measured.
public enum SubtitleEscaping: Sendable {
    case subRip, webVTT

    /// The text that marks a file as written by ``escaped(_:)``.
    ///
    /// In SubRip, which has no comments, it is the blanks behind the times of the first cue. In
    /// WebVTT it is a note before the first cue.
    public var mark: String {
        switch self {
        case .subRip: "     "
        case .webVTT: "NOTE Written by beamscribe"
        }
    }

    private static let joiner = "\u{2060}".utf8
    private static let openBrace = "\u{2774}".utf8
    private static let closeBrace = "\u{2775}".utf8

    // MARK: Writing

    /// Returns a row of a cue as the file has it.
    ///
    /// It works by bytes: a sign with a combining character is another `Character`, but players
    /// still see the sign.
    public func escaped(_ row: String) -> String {
        guard row.utf8.contains(where: Self.isSpecial) else { return row }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(row.utf8.count + 32)
        var isAfterBackslash = false
        for byte in row.utf8 {
            if isAfterBackslash, Self.isCommand(byte) { bytes += Self.joiner }
            isAfterBackslash = byte == UInt8(ascii: "\\")
            append(byte, to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch (byte, self) {
        case (UInt8(ascii: "{"), _): bytes += Self.openBrace
        case (UInt8(ascii: "}"), _): bytes += Self.closeBrace
        case (UInt8(ascii: "<"), .subRip):
            bytes.append(byte)
            bytes += Self.joiner
        case (UInt8(ascii: ">"), .subRip):
            // An arrow would begin the times of the next cue.
            if bytes.suffix(2).elementsEqual("--".utf8) { bytes += Self.joiner }
            bytes.append(byte)
        case (_, .webVTT):
            if let entity = Self.entity(byte) { bytes += entity.utf8 } else { bytes.append(byte) }
        default: bytes.append(byte)
        }
    }

    /// Returns a speaker's name as the voice tag of WebVTT has it. No player shows it.
    static func voiceName(_ name: String) -> String {
        guard name.utf8.contains(where: { entity($0) != nil }) else { return name }
        let bytes = name.utf8.flatMap { byte in entity(byte).map { Array($0.utf8) } ?? [byte] }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "<"),
            UInt8(ascii: ">"), UInt8(ascii: "&"):
            true
        default: false
        }
    }

    /// Whether a backslash and this letter are a line break or a blank to players.
    private static func isCommand(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "n") || byte == UInt8(ascii: "N") || byte == UInt8(ascii: "h")
    }

    private static func entity(_ byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        default: nil
        }
    }

    // MARK: Reading

    /// Returns the words that ``escaped(_:)`` made `text` of, for files that carry ``mark``.
    ///
    /// - Parameter text: text of a cue without tags. In WebVTT its entities are decoded.
    public func restored(_ text: String) -> String {
        guard text.utf8.contains(0xE2) else { return text }
        let source = Array(text.utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(source.count)
        var index = 0
        while index < source.count {
            let rest = source[index...]
            if rest.starts(with: Self.joiner), separates(source[..<index], rest.dropFirst(3)) {
                index += 3
            } else if rest.starts(with: Self.openBrace) {
                bytes.append(UInt8(ascii: "{"))
                index += 3
            } else if rest.starts(with: Self.closeBrace) {
                bytes.append(UInt8(ascii: "}"))
                index += 3
            } else {
                bytes.append(source[index])
                index += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether ``escaped(_:)`` puts a joiner between the two.
    private func separates(_ before: ArraySlice<UInt8>, _ after: ArraySlice<UInt8>) -> Bool {
        switch before.last {
        case UInt8(ascii: "\\"): after.first.map(Self.isCommand) ?? false
        case UInt8(ascii: "<"): self == .subRip
        case UInt8(ascii: "-"):
            self == .subRip && after.first == UInt8(ascii: ">")
                && before.suffix(2).elementsEqual("--".utf8)
        default: false
        }
    }
}
