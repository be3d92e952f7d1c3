/// Announces the finals that follow: lines `from` through `through`, `count` of them.
///
/// Where `from` is greater than what the guest expects next, the lines between are gone from the
/// host's memory and the guest shows the gap.
public struct FullHistory: Codable, Equatable, Sendable {
    public var session: String
    public var from: Int
    public var through: Int
    public var count: Int

    public init(session: String, from: Int, through: Int) {
        self.session = session
        self.from = from
        self.through = through
        self.count = through - from + 1
    }
}
