/// Who asks for something, as far as that decides what he gets.
struct Visitor: Equatable, Sendable {
    /// What is held against him: his address, or the network of an IPv6 one.
    let source: String
    /// Whether he asks on the host's own machine, and by no proxy.
    let isLocal: Bool
}
