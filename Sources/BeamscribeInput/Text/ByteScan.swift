import BeamscribeCore

/// Searches in bytes of the input, eight bytes a step.
enum ByteScan {
    /// A stretch of bytes without control characters.
    struct Run {
        /// The index of the control character that ends the run, or of the end of the bytes.
        var end: Int
        var isASCII: Bool
    }

    private static let lowBits: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
    private static let highBits: UInt64 = 0x8080_8080_8080_8080
    private static let toSpace: UInt64 = 0x6060_6060_6060_6060

    /// The run that begins at `start`; it is empty where a control character stands there.
    static func run(in bytes: UnsafeRawBufferPointer, from start: Int) -> Run {
        var index = start
        var high: UInt64 = 0
        while index + 8 <= bytes.count {
            let word = UInt64(
                littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let controls = controlBits(word)
            if controls != 0 {
                let before = controls.trailingZeroBitCount & ~7
                high |= word & ((1 << UInt64(clamping: before)) - 1)
                return Run(end: index + before / 8, isASCII: high & highBits == 0)
            }
            high |= word
            index += 8
        }
        while index < bytes.count, !isControl(bytes[index]) {
            high |= UInt64(bytes[index])
            index += 1
        }
        return Run(end: index, isASCII: high & highBits == 0)
    }

    /// How many bytes at the end of `bytes` may be the beginning of a character whose rest is
    /// still to come (0...3).
    static func incompleteTail(of bytes: UnsafeRawBufferPointer) -> Int {
        for length in 1...3 where length <= bytes.count {
            let byte = bytes[bytes.count - length]
            if byte < 0x80 { return 0 }
            if byte >= 0xC0 { return length < sequenceLength(lead: byte) ? length : 0 }
        }
        return 0
    }

    private static func sequenceLength(lead: UInt8) -> Int {
        switch lead {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }

    private static func isControl(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7F
    }

    /// The top bit of every byte of `word` that is a control character. The sums are of seven bits
    /// each, so that no byte carries into its neighbour.
    private static func controlBits(_ word: UInt64) -> UInt64 {
        let low = word & lowBits
        let atLeastSpace = low &+ toSpace
        let isNotDelete = (low ^ lowBits) &+ lowBits
        return ~(atLeastSpace & isNotDelete) & ~word & highBits
    }
}
