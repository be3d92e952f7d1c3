public import FoundationEssentials

/// What a log's finals hash to, one after another: who knows the hash of line n knows all lines
/// before it.
///
///     h(0) = SHA-256("beamscribe begin v1" 00 log)        h(n) = SHA-256(h(n-1) body(n))
///
/// Invariant: `hash` is h(`seq`).
public struct LineChain {
    /// The log's id.
    public let log: UUID
    /// The line that it has come to; 0 before the first.
    public private(set) var seq: Int
    /// What the lines through ``seq`` hash to.
    public private(set) var hash: LogHash

    /// The chain of a log before its first line.
    public init(of log: UUID, by hasher: some LogHasher) {
        let begin = Self.statement("beamscribe begin v1", of: log)
        (self.log, seq) = (log, 0)
        hash = begin.withUnsafeBytes { hasher.hash($0, UnsafeRawBufferPointer(rebasing: $0[..<0])) }
    }

    /// The chain from a line on whose hash somebody has told: worth as much as a signature behind it.
    public init(of log: UUID, after seq: Int, _ hash: LogHash) {
        (self.log, self.seq, self.hash) = (log, seq, hash)
    }

    /// The next final.
    public mutating func append(_ line: SignedPayload, by hasher: some LogHasher) {
        hash = hash.bytes.withUnsafeBytes { hasher.hash($0, line.body) }
        seq += 1
    }

    /// What the writer signs of the line that the chain has come to.
    ///
    /// - Parameter run: the number of the run in which it was said, from 1.
    public func statement(run: Int) -> [UInt8] {
        Self.statement("beamscribe line v1", of: log) + Self.bytes(UInt32(clamping: run))
            + Self.bytes(UInt64(clamping: seq)) + hash.bytes
    }

    private static func statement(_ what: StaticString, of log: UUID) -> [UInt8] {
        what.withUTF8Buffer { Array($0) } + [0] + withUnsafeBytes(of: log.uuid) { Array($0) }
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
