extension EscapeSequence {
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
}
