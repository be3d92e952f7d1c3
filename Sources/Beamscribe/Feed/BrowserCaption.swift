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
    /// comes once and no text does anything. One pass, no allocation.
    static func isPlain(_ body: UnsafeRawBufferPointer) -> Bool {
        guard body.first == UInt8(ascii: "{"), SafeText.isSafe(body) else { return false }
        var seen: UInt64 = 0
        var (start, position) = (0, 1)
        var isText = false
        while position < body.count {
            let byte = body[position]
            switch (isText, byte) {
            case (_, UInt8(ascii: "\\")):
                guard isText, position + 1 < body.count, body[position + 1] != UInt8(ascii: "u")
                else { return false }
                position += 1
            case (true, UInt8(ascii: "\"")): isText = false
            case (false, UInt8(ascii: "\"")): (isText, start) = (true, position + 1)
            case (false, UInt8(ascii: ":")):
                let bit = mark(of: body[start..<position - 1])
                guard seen & bit == 0 else { return false }
                seen |= bit
            case (false, UInt8(ascii: "{")), (false, UInt8(ascii: "[")), (false, 0x20):
                return false
            default: break
            }
            position += 1
        }
        return !isText
    }

    /// A bit for a key. A caption's own keys have one each; others that share one are no harm.
    private static func mark(of key: Slice<UnsafeRawBufferPointer>) -> UInt64 {
        let (first, last) = (Int(key.first ?? 0), Int(key.last ?? 0))
        return 1 << ((2 * key.count + 46 * first + last) & 63)
    }
}
