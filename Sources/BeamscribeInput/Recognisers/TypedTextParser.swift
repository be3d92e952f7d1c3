import BeamscribeCore

/// Reads characters as nerd-dictation writes them, in one endless line with backspaces that take
/// back what was heard wrongly: `helo`, three backspaces, `lo wor`.
///
/// A line is cut off where a sentence ends, once enough has been written behind it that a repair
/// is not likely to reach it. One that does makes a correction of it.
struct TypedTextParser: InputParser {
    /// A line longer than this, in bytes, is cut.
    private static let longest = 160
    /// What stays open behind the cut.
    private static let keptOpen = 60

    private var caption = OpenCaption()
    private var output = CaptionOutput()
    private var escape = EscapeSequence()
    private var tail: [UInt8] = []

    mutating func feed(_ bytes: UnsafeRawBufferPointer) -> [InputEvent] {
        for byte in bytes { take(byte) }
        caption.show(in: &output)
        return output.take()
    }

    mutating func finish() -> [InputEvent] {
        flushTail()
        caption.end(into: &output)
        defer { self = TypedTextParser() }
        return output.take()
    }

    private mutating func take(_ byte: UInt8) {
        if escape.isOpen, escape.take(byte) != .unread { return }
        if byte >= 0x20, byte != 0x7F { return write(byte) }
        flushTail()
        switch byte {
        case 0x08, 0x7F: backspace()
        case 0x0A: caption.end(into: &output)
        case 0x1B: escape.open()
        case 0x09: write(0x20)
        default: break
        }
    }

    private mutating func backspace() {
        if caption.text.isEmpty {
            // The space at which the line was cut is the first thing that goes.
            _ = caption.reopen(into: &output)
        } else {
            caption.text.removeLast()
        }
    }

    private mutating func write(_ byte: UInt8) {
        tail.append(byte)
        let isWhole = tail.withUnsafeBytes { ByteScan.incompleteTail(of: $0) == 0 }
        if isWhole || tail.count > 4 { flushTail() }
    }

    private mutating func flushTail() {
        guard !tail.isEmpty else { return }
        caption.text += String(decoding: tail, as: UTF8.self)
        let isSpace = tail == [0x20]
        tail = []
        if isSpace, caption.text.utf8.count > Self.longest { cut() }
        // A text without spaces ends somewhere, too.
        if caption.text.utf8.count > Limits.lineBytes { caption.end(into: &output) }
    }

    /// Ends the line at the last sentence's end that is far enough back, or else between words.
    private mutating func cut() {
        let bytes = Array(caption.text.utf8)
        let last = bytes.count - Self.keptOpen
        let spaces = bytes[..<last].indices.filter { bytes[$0] == 0x20 && $0 > 0 }
        let ends = spaces.filter { ".?!".utf8.contains(bytes[$0 - 1]) }
        if let place = ends.last ?? spaces.last { caption.end(after: place, into: &output) }
    }
}
