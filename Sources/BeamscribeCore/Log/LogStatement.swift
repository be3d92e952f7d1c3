import FoundationEssentials

/// What a writer signs: a word that says of what kind it is, so that no statement can be taken for
/// one of another kind, and what it is about. Integers are big-endian, UUIDs 16 bytes, and `00` is one
/// zero byte.
enum LogStatement {
    /// Line n, and with its hash all lines before it:
    ///
    ///     "beamscribe line v1" 00 log run(4) n(8) h(n)
    ///
    /// - Parameter run: the number of the run in which it was said, from 1.
    static func line(_ chain: LineChain, run: Int) -> [UInt8] {
        begin("beamscribe line v1", chain.log) + bytes(UInt32(clamping: run))
            + bytes(UInt64(clamping: chain.seq)) + chain.hash.bytes
    }

    /// A partial, by SHA-256 of its body: `"beamscribe partial v1" 00 log hash`.
    static func partial(_ body: LogHash, of log: UUID) -> [UInt8] {
        begin("beamscribe partial v1", log) + body.bytes
    }

    /// A log's record, which names the log itself: `"beamscribe log v1" 00 hash`.
    static func record(_ body: LogHash) -> [UInt8] {
        begin("beamscribe log v1") + body.bytes
    }

    /// A head: `"beamscribe head v1" 00 log hash`.
    static func head(_ body: LogHash, of log: UUID) -> [UInt8] {
        begin("beamscribe head v1", log) + body.bytes
    }

    /// What lets a log into an event: `"beamscribe grant v1" 00 event hash`.
    static func grant(_ body: LogHash, to event: UUID) -> [UInt8] {
        begin("beamscribe grant v1", event) + body.bytes
    }

    /// How a statement of a kind begins; what a log's chain begins with is one, too.
    static func begin(_ kind: StaticString, _ log: UUID? = nil) -> [UInt8] {
        let kind = kind.withUTF8Buffer { Array($0) } + [0]
        return log.map { log in kind + withUnsafeBytes(of: log.uuid) { Array($0) } } ?? kind
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
