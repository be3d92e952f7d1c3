import BeamscribeCore

/// A line of the input.
struct InputLine: Equatable {
    /// The line's number, from 1.
    var number: Int
    /// What is written on it, without escape sequences and without its end.
    var text: String
    /// The line was longer than is read, and `text` is empty.
    var isTooLong = false

    var isBlank: Bool { !isTooLong && text.allSatisfy(\.isWhitespace) }
}

/// Cuts the input into lines, however it comes.
///
/// Invariant: `held` is the beginning of the open line, at most `Limits.inputObject` bytes of it,
/// and is empty while `isPassingOver` is true.
struct LineSplitter {
    private var held: [UInt8] = []
    private var isPassingOver = false
    private var linesBefore = 0

    mutating func feed(_ bytes: UnsafeRawBufferPointer) -> [InputLine] {
        var lines: [InputLine] = []
        var rest = bytes[...]
        while let newline = rest.firstIndex(of: 0x0A) {
            hold(rest[..<newline])
            lines.append(takeLine())
            rest = rest[(newline + 1)...]
        }
        hold(rest)
        return lines
    }

    /// The line that the end of the input completes, if one is open.
    mutating func finish() -> InputLine? {
        held.isEmpty && !isPassingOver ? nil : takeLine()
    }

    private mutating func hold(_ part: Slice<UnsafeRawBufferPointer>) {
        guard !isPassingOver else { return }
        if held.count + part.count > Limits.inputObject {
            isPassingOver = true
            held = []
        } else {
            held += part
        }
    }

    private mutating func takeLine() -> InputLine {
        linesBefore += 1
        let text = isPassingOver ? "" : EscapeSequence.text(of: bytesOfLine())
        let line = InputLine(number: linesBefore, text: text, isTooLong: isPassingOver)
        held.removeAll(keepingCapacity: held.count <= Limits.inputRead)
        isPassingOver = false
        return line
    }

    private func bytesOfLine() -> ArraySlice<UInt8> {
        var bytes = linesBefore == 1 ? JSONText.withoutMark(held[...]) : held[...]
        while bytes.last == 0x0D { bytes.removeLast() }
        return bytes
    }
}
