import BeamscribeCore

/// Says after which bytes of an input its form is asked for.
///
/// These are the same however the input is cut into reads, so that the answer is, too: the ends of
/// lines and of rewritten ones, backspaces and colons; of a JSON object its end alone, which may
/// be a megabyte away.
struct DetectionPoints {
    private enum Kind {
        case blank, object, lines
    }

    private var kind = Kind.blank
    private var scanner = ObjectScanner()
    /// What follows the object's brace has come.
    private var isInside = false
    private var hasObject = false
    private var count = 0

    /// Takes the next byte; whether to ask behind it.
    mutating func isPoint(behind byte: UInt8) -> Bool {
        count += 1
        if kind == .blank, !Self.isBlank(byte) {
            kind = byte == UInt8(ascii: "{") ? .object : .lines
            if kind == .object { return !scanner.feed(byte).isEmpty }
        }
        return kind == .object ? isPointOfObject(byte) : isPointOfLines(byte)
    }

    private mutating func isPointOfObject(_ byte: UInt8) -> Bool {
        if !isInside {
            if JSONText.isSpace(byte) { return !scanner.feed(byte).isEmpty }
            isInside = true
            if byte != UInt8(ascii: "\"") {
                kind = .lines
                return true
            }
        }
        if hasObject { return byte == 0x0A }
        let pieces = scanner.feed(byte)
        hasObject = !pieces.isEmpty
        if case .damaged = pieces.first { kind = .lines }
        return hasObject
    }

    private func isPointOfLines(_ byte: UInt8) -> Bool {
        byte == 0x0A || byte == 0x0D || byte == 0x08 || byte == UInt8(ascii: ":")
            || count >= FormatDetector.enough
    }

    /// The bytes of a byte order mark count as blank.
    private static func isBlank(_ byte: UInt8) -> Bool {
        JSONText.isSpace(byte) || JSONText.mark.contains(byte)
    }
}
