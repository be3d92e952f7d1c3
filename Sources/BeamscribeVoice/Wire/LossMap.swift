import BeamscribeCore

/// Which packets of a source came, and which did not: a block of an extended report (RFC 3611, section 4.1), as bit
/// vectors.
///
///     |   BT=1   | rsvd. | T=0 |       block length     |
///     |                  SSRC of source                 |
///     |    first sequence      |  one behind the last   |
///     |1|  15 packets, 1 came  |1|  15 packets  | ...   |
public struct LossMap: Equatable, Sendable {
    /// Whose packets.
    public var source: UInt32
    /// The sequence number of the first.
    public var first: UInt16
    /// Whether each came.
    public var received: [Bool]

    /// The most packets of which one tells.
    public static let most = 256
    private static let bits = 15

    /// A map.
    public init(source: UInt32, first: UInt16, received: [Bool]) {
        (self.source, self.first) = (source, first)
        self.received = Array(received.prefix(Self.most))
    }

    /// The share that was lost, 0 to 1.
    public var loss: Double {
        received.isEmpty ? 0 : Double(received.count { !$0 }) / Double(received.count)
    }

    /// The most that were lost in a row.
    public var longestRun: Int {
        var (run, longest) = (0, 0)
        for isThere in received {
            run = isThere ? 0 : run + 1
            longest = max(longest, run)
        }
        return longest
    }

    /// Reads a block's body, behind its four bytes of head.
    init(parsing body: UnsafeRawBufferPointer) throws(PacketFault) {
        guard body.count >= 8 else { throw .bounds }
        source = body.bigEndian(UInt32.self, at: 0)
        first = body.bigEndian(UInt16.self, at: 4)
        let count = Int(body.bigEndian(UInt16.self, at: 6) &- first)
        guard count <= Self.most else { throw .bounds }
        received = []
        var at = 8
        while received.count < count, at + 2 <= body.count {
            let chunk = body.bigEndian(UInt16.self, at: at)
            at += 2
            if chunk & 0x8000 != 0 {
                for bit in (0..<Self.bits).reversed() where received.count < count {
                    received.append(chunk & 1 << UInt16(clamping: bit) != 0)
                }
            } else if chunk == 0 {
                break
            } else {
                let length = min(Int(chunk & 0x3FFF), count - received.count)
                received += repeatElement(chunk & 0x4000 != 0, count: length)
            }
        }
        guard received.count == count else { throw .bounds }
    }

    /// It as a block.
    var bytes: [UInt8] {
        var chunks: [UInt16] = stride(from: 0, to: received.count, by: Self.bits).map { start in
            let bits = (0..<Self.bits).map { index in
                start + index < received.count && received[start + index]
            }
            return bits.reduce(1) { $0 << 1 | ($1 ? 1 : 0) }
        }
        // A chunk of zeros fills the last word.
        if !chunks.count.isMultiple(of: 2) { chunks.append(0) }
        var bytes: [UInt8] = [1, 0]
        bytes.append(bigEndian: UInt16(clamping: 2 + chunks.count / 2))
        bytes.append(bigEndian: source)
        bytes.append(bigEndian: first)
        bytes.append(bigEndian: first &+ UInt16(clamping: received.count))
        for chunk in chunks { bytes.append(bigEndian: chunk) }
        return bytes
    }
}
