import BeamscribeCore

/// Reads text as a terminal would show it: a line that grows or is rewritten is a partial, and a
/// line's end makes it final.
///
/// Invariant: `shown` is the open line's partial as the reader of the events knows it, or empty
/// when there is none; `tail` is the beginning of one character at most.
public struct TextParser: InputParser {
    private var events: [InputEvent] = []
    private var line = OpenLine()
    private var escape = EscapeSequence()
    private var tail: [UInt8] = []
    private var shown = ""
    /// Nothing has been read yet that a byte order mark could not follow.
    private var isAtVeryStart = true

    public init() {}

    public mutating func feed(_ bytes: UnsafeRawBufferPointer) -> [InputEvent] {
        var index = 0
        while index < bytes.count { index = step(bytes, at: index) }
        return endBatch()
    }

    public mutating func finish() -> [InputEvent] {
        endLine()
        defer { self = TextParser() }
        return endBatch()
    }

    /// Takes what begins at `index`, a whole line if it can, and gives the index behind it.
    private mutating func step(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
        if escape.isOpen { return stepEscape(bytes[index]) ? index + 1 : index }
        let run = ByteScan.run(in: bytes, from: index)
        if let next = takeWholeLine(bytes, from: index, run) { return next }
        if run.end > index {
            append(UnsafeRawBufferPointer(rebasing: bytes[index..<run.end]))
        }
        guard run.end < bytes.count else { return run.end }
        takeControl(bytes[run.end])
        return run.end + 1
    }

    /// Whether the sequence took the byte.
    private mutating func stepEscape(_ byte: UInt8) -> Bool {
        switch escape.take(byte) {
        case .swallowed: return true
        case .eraseToEnd: line.eraseToEnd()
        case .eraseLine: line.erase()
        case .unread: return false
        }
        return true
    }

    /// The common case at full speed: a line that is all there, with nothing to it but text. Gives
    /// the index behind it, or nil where the general way has to be taken.
    private mutating func takeWholeLine(
        _ bytes: UnsafeRawBufferPointer, from start: Int, _ run: ByteScan.Run
    ) -> Int? {
        guard line.isFresh, tail.isEmpty, !isAtVeryStart, run.end - start <= Limits.lineBytes,
            let next = Self.indexBehindLineEnd(bytes, at: run.end)
        else { return nil }
        var end = run.end
        while end > start, bytes[end - 1] == 0x20 { end -= 1 }
        guard end > start else { return next }
        var text = String(
            decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
        if !run.isASCII {
            text = SafeText.line(text)
            guard text.utf8.count <= Limits.lineBytes else { return nil }
            text = String(LineText.trimmed(Substring(text), start: false))
        }
        addFinal(text)
        return next
    }

    private static func indexBehindLineEnd(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int? {
        guard index < bytes.count else { return nil }
        if bytes[index] == 0x0A { return index + 1 }
        guard bytes[index] == 0x0D, index + 1 < bytes.count, bytes[index + 1] == 0x0A else {
            return nil
        }
        return index + 2
    }

    private mutating func takeControl(_ byte: UInt8) {
        flushTail()
        isAtVeryStart = false
        switch byte {
        case 0x08, 0x7F: line.backspace()
        case 0x09: write(" ")
        case 0x0A: endLine()
        case 0x0D: line.carriageReturn()
        case 0x1B: escape.open()
        default: break
        }
    }

    /// Adds a run of text; a character at its end whose rest is still to come waits.
    private mutating func append(_ run: UnsafeRawBufferPointer) {
        guard tail.isEmpty else {
            let joined = tail + run
            tail = []
            return joined.withUnsafeBytes { append($0) }
        }
        let end = run.count - ByteScan.incompleteTail(of: run)
        tail = [UInt8](run[end...])
        guard end > 0 else { return }
        write(String(decoding: run[..<end], as: UTF8.self))
    }

    private mutating func flushTail() {
        guard !tail.isEmpty else { return }
        let text = String(decoding: tail, as: UTF8.self)
        tail = []
        write(text)
    }

    private mutating func write(_ text: String) {
        line.append(withoutMark(text))
        for piece in line.takePieces() { addFinal(piece) }
    }

    private mutating func withoutMark(_ text: String) -> String {
        guard isAtVeryStart else { return text }
        isAtVeryStart = false
        return text.unicodeScalars.first == "\u{FEFF}"
            ? String(text.unicodeScalars.dropFirst()) : text
    }

    private mutating func endLine() {
        flushTail()
        for piece in line.end() { addFinal(piece) }
    }

    /// A line without text is none; a partial that was shown for it is withdrawn at the batch's
    /// end, unless the next line's partial or final has taken its place by then.
    private mutating func addFinal(_ text: String) {
        guard !text.isEmpty else { return }
        events.append(.final(Caption(text: text)))
        shown = ""
    }

    private mutating func endBatch() -> [InputEvent] {
        let visible = line.visible
        if visible != shown { events.append(.partial(Caption(text: visible))) }
        shown = visible
        defer { events = [] }
        return events
    }
}
