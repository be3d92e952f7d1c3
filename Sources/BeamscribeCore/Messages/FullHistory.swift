/// Announces the finals that follow: lines `from` through `through`, `count` of them.
///
/// Where `from` is greater than what the guest expects next, the lines between are gone from the
/// host's memory and the guest shows the gap.
public struct FullHistory: FlatPacket, Codable, Equatable, Sendable {
    /// The session's id.
    public var session: String
    /// The first line that follows.
    public var from: Int
    /// The last line that was there when this was said; `from - 1` for none.
    public var through: Int
    /// How many lines that is.
    public var count: Int
    /// What the lines before them hash to in a signed log (``LineChain``), 64 hexadecimal digits;
    /// absent where there are none.
    public var hash: String?

    /// Announces the lines from one number to another.
    ///
    /// - Parameter hash: what the lines before them hash to; before line 1 everybody knows that.
    public init(session: String, from: Int, through: Int, hash: LogHash? = nil) {
        self.hash = from > 1 ? hash?.hex : nil
        self.session = session
        self.from = from
        self.through = through
        self.count = through - from + 1
    }

    @inline(__always)
    mutating func visit(_ visitor: inout some CaptionVisitor) -> Bool {
        visitor.field("session", &session)
            || visitor.field("from", &from)
            || visitor.field("through", &through)
            || visitor.field("count", &count)
            || visitor.field("hash", &hash)
    }

    static let requiredFields = RequiredFields.of(FullHistory(session: "", from: 1, through: 0))
}
