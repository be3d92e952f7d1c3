/// What a connection can be made to.
public enum Destination: Hashable, Sendable {
    /// A TCP port.
    case network(Endpoint)
    /// A device in reach by Bluetooth.
    case channel(ChannelEndpoint)
    /// A server that keeps the event, from where this machine serves itself.
    case backbone
}

extension Destination: CustomStringConvertible {
    public var description: String {
        switch self {
        case .network(let endpoint): "\(endpoint)"
        case .channel(let endpoint): "\(endpoint)"
        case .backbone: "the NATS server"
        }
    }
}
