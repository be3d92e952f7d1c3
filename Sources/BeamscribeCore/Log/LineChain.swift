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
    private let hasher: any LogHasher

    /// The chain of a log before its first line.
    public init(of log: UUID, by hasher: any LogHasher) {
        let begin = LogStatement.begin("beamscribe begin v1", log)
        (self.log, self.hasher, seq) = (log, hasher, 0)
        hash = begin.withUnsafeBytes { hasher.hash($0) }
    }

    /// The chain from a line on whose hash somebody has told: worth as much as a signature behind it.
    public init(of log: UUID, after seq: Int, _ hash: LogHash, by hasher: any LogHasher) {
        (self.log, self.hasher, self.seq, self.hash) = (log, hasher, seq, hash)
    }

    /// The chain goes on behind lines that are missing.
    func behind(_ joint: LineJoint) -> LineChain? {
        LogHash(hex: joint.hash).map { from(joint.after, $0) }
    }

    /// The next final.
    public mutating func append(_ line: SignedPayload) {
        hash = hash.withBytes { hasher.hash($0, line.body) }
        seq += 1
    }

    /// The chain of the same log from another line on.
    func from(_ seq: Int, _ hash: LogHash) -> LineChain {
        LineChain(of: log, after: seq, hash, by: hasher)
    }
}

/// Where a log that is held goes on behind lines that are missing.
public struct LineJoint: Codable, Equatable, Sendable {
    /// The last of them.
    public var after: Int
    /// What the lines through that hash to, as somebody has told: 64 hexadecimal digits. A signature behind
    /// them proves it.
    public var hash: String
}
