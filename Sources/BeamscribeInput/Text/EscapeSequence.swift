import BeamscribeCore

/// Swallows the escape sequences with which programs colour text and move the cursor, and finds
/// the few that matter to a line: those that erase it.
///
/// Invariant: after at most 4,096 bytes, or at the end of the line, no sequence is open, so that a
/// sequence that never ends takes no more of the stream than that.
struct EscapeSequence {
    /// What became of a byte.
    enum Step: Equatable {
        /// It belongs to the sequence.
        case swallowed
        /// It ends a sequence that erases from the cursor to the end of the line.
        case eraseToEnd
        /// It ends a sequence that erases the line, or the line up to the cursor.
        case eraseLine
        /// It does not belong to the sequence, which is over.
        case unread
    }

    private enum State {
        case none, opened, intermediate, control, string, stringEscape
    }

    private static let controlBytes = 64
    private static let stringBytes = 4_096

    private var state = State.none
    private var length = 0
    /// The only parameter byte, where there is one; more make no sequence that matters here.
    private var parameter: UInt8 = 0

    /// Whether the next byte belongs to a sequence.
    var isOpen: Bool { state != .none }

    /// An ESC was read.
    mutating func open() {
        enter(.opened)
    }

    /// The next byte of the open sequence.
    mutating func take(_ byte: UInt8) -> Step {
        switch state {
        case .none: .unread
        case .opened: takeOpened(byte)
        case .intermediate: takeIntermediate(byte)
        case .control: takeControl(byte)
        case .string: takeString(byte)
        case .stringEscape: takeStringEscape(byte)
        }
    }

    /// The text in `bytes` without the sequences that colour it.
    static func text(of bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(0x1B) else { return String(decoding: bytes, as: UTF8.self) }
        var kept: [UInt8] = []
        var escape = EscapeSequence()
        for byte in bytes {
            if escape.isOpen, escape.take(byte) != .unread { continue }
            if byte == 0x1B { escape.open() } else { kept.append(byte) }
        }
        return String(decoding: kept, as: UTF8.self)
    }

    private mutating func enter(_ next: State) {
        state = next
        length = 0
        parameter = 0
    }

    private mutating func end(_ step: Step) -> Step {
        state = .none
        return step
    }

    private mutating func takeOpened(_ byte: UInt8) -> Step {
        switch byte {
        case UInt8(ascii: "["): enter(.control)
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"),
            UInt8(ascii: "_"):
            enter(.string)
        case 0x1B: enter(.opened)
        case 0x20...0x2F: enter(.intermediate)
        case 0x30...0x7E: return end(.swallowed)
        default: return end(.unread)
        }
        return .swallowed
    }

    private mutating func takeIntermediate(_ byte: UInt8) -> Step {
        switch byte {
        case 0x20...0x2F: count(upTo: Self.controlBytes)
        case 0x30...0x7E: end(.swallowed)
        default: end(.unread)
        }
    }

    private mutating func takeControl(_ byte: UInt8) -> Step {
        switch byte {
        case 0x20...0x3F:
            parameter = length == 0 ? byte : 0xFF
            return count(upTo: Self.controlBytes)
        case UInt8(ascii: "K"): return end(erasing())
        case 0x40...0x7E: return end(.swallowed)
        default: return end(.unread)
        }
    }

    private func erasing() -> Step {
        switch parameter {
        case 0, UInt8(ascii: "0"): .eraseToEnd
        case UInt8(ascii: "1"), UInt8(ascii: "2"): .eraseLine
        default: .swallowed
        }
    }

    /// A string for the terminal (a window's title, a link) ends at BEL or ESC \. Text has no use
    /// for one, so a line's end closes it too.
    private mutating func takeString(_ byte: UInt8) -> Step {
        switch byte {
        case 0x07: return end(.swallowed)
        case 0x0A: return end(.unread)
        case 0x1B:
            state = .stringEscape
            return .swallowed
        default: return count(upTo: Self.stringBytes)
        }
    }

    private mutating func takeStringEscape(_ byte: UInt8) -> Step {
        if byte == UInt8(ascii: "\\") { return end(.swallowed) }
        enter(.opened)
        return take(byte)
    }

    private mutating func count(upTo limit: Int) -> Step {
        length += 1
        return length < limit ? .swallowed : end(.swallowed)
    }
}
