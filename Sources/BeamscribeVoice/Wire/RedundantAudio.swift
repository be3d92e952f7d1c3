import BeamscribeCore

/// Audio with copies of what went before it (RFC 2198), so that a packet that is lost is there in the next.
///
///     |1|   block PT  |  timestamp offset         |   block length    |   for each copy, the oldest first
///     |0|   block PT  |                                                  for what is new
///     | copies ...  |  what is new |
public struct RedundantAudio: Equatable, Sendable {
    /// A piece of audio.
    public struct Block: Equatable, Sendable {
        /// What it is coded as.
        public var payloadType: UInt8
        /// How much older it is than what is new, in samples of 48 kHz.
        public var age: UInt32
        /// The coded audio.
        public var bytes: [UInt8]

        /// A block.
        public init(payloadType: UInt8, age: UInt32, bytes: [UInt8]) {
            (self.payloadType, self.age, self.bytes) = (payloadType & 0x7F, age, bytes)
        }
    }

    /// The copies, the oldest first, and what is new, which is never missing.
    public let blocks: [Block]

    /// The greatest age that can be told: 14 bits.
    public static let greatestAge: UInt32 = 0x3FFF
    /// The greatest length of a copy: 10 bits.
    public static let greatestLength = 0x3FF
    /// The most copies that are read.
    public static let mostCopies = 8

    /// Copies that are too old or too long to be told are left out.
    public init(_ new: [UInt8], payloadType: UInt8, copies: [Block]) {
        let told = copies.filter {
            $0.age <= Self.greatestAge && $0.bytes.count <= Self.greatestLength
        }
        blocks =
            told.suffix(Self.mostCopies) + [Block(payloadType: payloadType, age: 0, bytes: new)]
    }

    /// Reads what an RTP packet holds.
    ///
    /// - Throws: where a length reaches beyond its end.
    public init(parsing payload: [UInt8]) throws(PacketFault) {
        var heads: [(type: UInt8, age: UInt32, length: Int)] = []
        var index = 0
        while index < payload.count, payload[index] & 0x80 != 0 {
            guard index + 4 <= payload.count, heads.count < Self.mostCopies else { throw .bounds }
            let word = payload[index..<index + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            heads.append(
                (UInt8(clamping: word >> 24 & 0x7F), word >> 10 & 0x3FFF, Int(word & 0x3FF)))
            index += 4
        }
        guard index < payload.count else { throw .bounds }
        let type = payload[index]
        index += 1
        var blocks: [Block] = []
        for head in heads {
            guard head.length <= payload.count - index else { throw .bounds }
            blocks.append(
                Block(
                    payloadType: head.type, age: head.age,
                    bytes: Array(payload[index..<index + head.length])))
            index += head.length
        }
        blocks.append(Block(payloadType: type, age: 0, bytes: Array(payload[index...])))
        self.blocks = blocks
    }

    /// It as an RTP packet's payload.
    public var payload: [UInt8] {
        var bytes: [UInt8] = []
        for copy in blocks.dropLast() {
            let type = UInt32(0x80 | copy.payloadType) << 24
            bytes.append(bigEndian: type | copy.age << 10 | UInt32(clamping: copy.bytes.count))
        }
        bytes.append(blocks[blocks.count - 1].payloadType)
        return blocks.reduce(into: bytes) { $0 += $1.bytes }
    }
}
