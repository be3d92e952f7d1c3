/// What came out of one stream so far, as bytes and as lines.
///
/// Invariant: `lines` are the finished lines of `bytes`, and of an ended stream also the last
/// one that lacks its newline.
public struct CollectedText: Sendable {
    public private(set) var bytes: [UInt8] = []
    /// Lines without their newline.
    public private(set) var lines: [String] = []
    /// Nobody can write to the stream any more.
    public private(set) var hasEnded = false
    private var lineStart = 0

    public var text: String { String(decoding: bytes, as: UTF8.self) }

    mutating func append(_ piece: Descriptor.Piece) {
        switch piece {
        case .bytes(let bytes): append(bytes)
        case .end: end()
        }
    }

    private mutating func append(_ more: [UInt8]) {
        var position = bytes.count
        bytes += more
        while let newline = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) {
            finishLine(at: newline)
            position = lineStart
        }
    }

    private mutating func end() {
        if lineStart < bytes.count { finishLine(at: bytes.count) }
        hasEnded = true
    }

    private mutating func finishLine(at end: Int) {
        lines.append(String(decoding: bytes[lineStart..<end], as: UTF8.self))
        lineStart = end + 1
    }

    /// The end of the text, short enough for a message.
    var excerpt: String {
        let limit = 2000
        guard bytes.count > limit else { return bytes.isEmpty ? "(nothing)" : text }
        return "… " + String(decoding: bytes.suffix(limit), as: UTF8.self)
    }
}
