/// The one who asks for something, as far as that decides the answer.
struct Visitor: Equatable, Sendable {
    /// The address that he counts by, or the network of an IPv6 one.
    let source: String
    /// Whether he asks on the host's own machine, and by no proxy.
    let isLocal: Bool
}
