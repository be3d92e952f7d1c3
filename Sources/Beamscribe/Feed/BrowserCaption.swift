import BeamscribeCore

/// Has a caption say to browsers what it says to programs.
///
/// Other writers' captions are passed on as the bytes that they have signed. In such bytes a key can
/// come twice, of which programs take the first and browsers the last, and text can hold controls
/// and directions that a page would obey. A caption like that is written anew.
enum BrowserCaption {
    /// Returns a caption's packet without its signature and its last brace.
    ///
    /// The bytes are valid as long as the payload, during the call of `use`.
    static func withBody<Result>(
        of payload: UnsafeRawBufferPointer, _ use: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let body = SignedPayload(payload).body
        guard !isPlain(body), let anew = written(payload) else { return use(body) }
        return anew.withUnsafeBytes { use(SignedPayload($0).body) }
    }

    /// The caption with clean text, each key once.
    private static func written(_ payload: UnsafeRawBufferPointer) -> [UInt8]? {
        guard case .liveChunk(var chunk)? = try? PacketDecoder().packet(payload) else { return nil }
        chunk.text = SafeText.label(chunk.text, bytes: Limits.lineBytes)
        chunk.line = SafeText.label(chunk.line, bytes: Limits.labelBytes)
        chunk.speaker = chunk.speaker.map { SafeText.name($0, bytes: Limits.labelBytes) }
        chunk.lang = chunk.lang.map { SafeText.label($0, bytes: Limits.labelBytes) }
        (chunk.original, chunk.heard) = (nil, nil)
        let frame = try? FrameEncoder().frame(.liveChunk(chunk))
        return frame.map { Array($0.dropFirst(FrameDecoder.prefixLength)) }
    }

    /// Whether these are the bytes of one flat object, without its last brace, in which each key
    /// comes once and no text does anything.
    static func isPlain(_ body: UnsafeRawBufferPointer) -> Bool {
        // In ASCII only controls do something, and no text holds one unescaped.
        guard body.first == UInt8(ascii: "{"), body.isASCII || SafeText.isSafe(body) else {
            return false
        }
        var seen: UInt64 = 0
        var position = 1
        while position < body.count {
            switch body[position] {
            case UInt8(ascii: "\""):
                guard let end = endOfText(in: body, from: position + 1) else { return false }
                if end + 1 < body.count, body[end + 1] == UInt8(ascii: ":") {
                    let bit = mark(of: body, position + 1, end)
                    guard seen & bit == 0 else { return false }
                    seen |= bit
                }
                position = end + 1
            case UInt8(ascii: "{"), UInt8(ascii: "["), 0...0x20, 0x7F: return false
            default: position += 1
            }
        }
        return true
    }

    /// The place of a text's last quotation mark; nil where there is none, or the text has a
    /// character by its number.
    private static func endOfText(in body: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var position = start
        while true {
            position = body.endOfPlainText(from: position)
            guard position < body.count else { return nil }
            if body[position] == UInt8(ascii: "\"") { return position }
            guard body[position] == UInt8(ascii: "\\"), position + 1 < body.count,
                body[position + 1] != UInt8(ascii: "u")
            else { return nil }
            position += 2
        }
    }

    /// A bit for a key. A caption's own keys have one each; others that share one are no harm.
    private static func mark(of body: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> UInt64 {
        guard start < end else { return 1 }
        return 1 << ((2 * (end - start) + 46 * Int(body[start]) + Int(body[end - 1])) & 63)
    }
}
