import BeamscribeCore

/// Finds the JSON objects in a stream by their braces, whatever stands between them, and however
/// they are spread over lines.
///
/// Invariant: `held` is the beginning of the open object, at most `Limits.inputObject` bytes of it;
/// it is empty while no object is open, or one that is too long.
struct ObjectScanner {
    enum Piece: Equatable {
        /// A whole object, and the number of the line on which it begins.
        case object([UInt8], line: Int)
        /// An object that ends nowhere, or too late.
        case damaged(line: Int, reason: String)
    }

    static let notJSON = "it is not valid JSON"

    private var held: [UInt8] = []
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var isTooLong = false
    private var line = 1
    private var firstLine = 1
    private var previous: UInt8 = 0x0A

    /// Whether an object has begun that has not ended.
    var isOpen: Bool { depth > 0 }

    mutating func feed(_ bytes: UnsafeRawBufferPointer) -> [Piece] {
        var pieces: [Piece] = []
        for byte in bytes { feed(byte, into: &pieces) }
        return pieces
    }

    mutating func feed(_ byte: UInt8) -> [Piece] {
        var pieces: [Piece] = []
        feed(byte, into: &pieces)
        return pieces
    }

    /// The object that the end of the input has cut off.
    mutating func finish() -> Piece? {
        guard isOpen, !isTooLong else { return nil }
        return .damaged(line: firstLine, reason: "it ends too early")
    }

    private mutating func feed(_ byte: UInt8, into pieces: inout [Piece]) {
        take(byte, into: &pieces)
        if byte == 0x0A { line += 1 }
        previous = byte
    }

    private mutating func take(_ byte: UInt8, into pieces: inout [Piece]) {
        guard isOpen else { return byte == UInt8(ascii: "{") ? begin() : () }
        // A string has no line break in it, and no program indents an object's end but not its
        // beginning: here something is missing, and the next object is not to suffer.
        let isBroken =
            isInString ? byte == 0x0A : byte == UInt8(ascii: "{") && previous == 0x0A
        guard !isBroken else { return abandon(at: byte, into: &pieces) }
        hold(byte, into: &pieces)
        if isInString { takeInString(byte) } else { takeOutside(byte, into: &pieces) }
    }

    private mutating func begin() {
        depth = 1
        firstLine = line
        isTooLong = false
        isInString = false
        isEscaped = false
        held.append(UInt8(ascii: "{"))
    }

    private mutating func abandon(at byte: UInt8, into pieces: inout [Piece]) {
        if !isTooLong { pieces.append(.damaged(line: firstLine, reason: Self.notJSON)) }
        depth = 0
        held = []
        if byte == UInt8(ascii: "{") { begin() }
    }

    private mutating func hold(_ byte: UInt8, into pieces: inout [Piece]) {
        guard !isTooLong else { return }
        guard held.count < Limits.inputObject else {
            isTooLong = true
            held = []
            let reason = "it is longer than \(Limits.inputObject) bytes"
            return pieces.append(.damaged(line: firstLine, reason: reason))
        }
        held.append(byte)
    }

    private mutating func takeInString(_ byte: UInt8) {
        if !isEscaped, byte == UInt8(ascii: "\"") { isInString = false }
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
    }

    private mutating func takeOutside(_ byte: UInt8, into pieces: inout [Piece]) {
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "}"):
            depth -= 1
            if depth == 0 { end(into: &pieces) }
        default: break
        }
    }

    private mutating func end(into pieces: inout [Piece]) {
        if !isTooLong { pieces.append(.object(held, line: firstLine)) }
        held = []
    }
}
