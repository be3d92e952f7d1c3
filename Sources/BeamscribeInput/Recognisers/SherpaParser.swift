import BeamscribeCore

/// What sherpa-onnx shows while it listens: segments with a number, each rewritten as it grows.
///
///     \r0: good mor          \r0: good morning\n        \r1: next
///
/// A segment of more than a row is wrapped: its next row begins with `\n\r` and a space, and nothing
/// but that tells a wrap from an end. So a segment is final when the next one begins, when the
/// input ends, or when nothing has followed its line's end for a second. All else is a log.
struct SherpaParser: InputParser {
    private static let longestRow = 65_536

    private var row: [UInt8] = []
    private var escape = EscapeSequence()
    private var segment: Int?
    private var text = ""
    /// A line's end has come behind the segment's text.
    private var hasRowEnded = false
    private var output = CaptionOutput()

    var awaitsQuiet: Bool { segment != nil && hasRowEnded && row.isEmpty }

    mutating func feed(_ bytes: UnsafeRawBufferPointer) -> [InputEvent] {
        for byte in bytes { take(byte) }
        showPartial()
        return output.take()
    }

    mutating func settle() -> [InputEvent] {
        if awaitsQuiet { endSegment() }
        return output.take()
    }

    mutating func finish() -> [InputEvent] {
        endRow()
        endSegment()
        defer { self = SherpaParser() }
        return output.take()
    }

    private mutating func take(_ byte: UInt8) {
        if escape.isOpen, escape.take(byte) != .unread { return }
        switch byte {
        case 0x0A:
            endRow()
            hasRowEnded = segment != nil
        case 0x0D: endRow()
        case 0x1B: escape.open()
        default: if row.count < Self.longestRow { row.append(byte) }
        }
    }

    private mutating func endRow() {
        defer { row = [] }
        guard !row.isEmpty else { return }
        let written = String(decoding: row, as: UTF8.self)
        if let (number, words) = Self.numbered(written) {
            begin(number)
            text = words
            hasRowEnded = false
        } else if goesOn(written) {
            text += " " + LineText.trimmed(written[...], start: true)
            hasRowEnded = false
            if text.utf8.count > Self.longestRow { endSegment() }
        }
    }

    /// What a row with `number` says is of this segment; another one is over.
    private mutating func begin(_ number: Int) {
        if number != segment { endSegment() }
        segment = number
    }

    private func goesOn(_ written: String) -> Bool {
        segment != nil && hasRowEnded && written.first == " "
    }

    private mutating func endSegment() {
        if segment != nil { output.final(Caption(text: text)) }
        segment = nil
        text = ""
        hasRowEnded = false
    }

    private mutating func showPartial() {
        let end = row.withUnsafeBytes { $0.count - ByteScan.incompleteTail(of: $0) }
        let written = String(decoding: row[..<end], as: UTF8.self)
        if let (number, words) = Self.numbered(written) {
            begin(number)
            output.partial(Caption(text: words))
        } else if segment != nil {
            let more = goesOn(written) ? " " + LineText.trimmed(written[...], start: true) : ""
            output.partial(Caption(text: text + more))
        }
    }

    /// The number and the words of `0: good morning`.
    private static func numbered(_ row: String) -> (Int, String)? {
        guard let colon = row.prefix(9).firstIndex(of: ":"),
            row[..<colon].allSatisfy({ $0.isASCII && $0.isNumber }),
            let number = Int(bounded: row[..<colon])
        else { return nil }
        return (number, String(row[row.index(after: colon)...]))
    }
}
