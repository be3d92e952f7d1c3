internal import BeamscribeCore
internal import CLinux
internal import Glibc

/// A TCP socket that takes connections.
public final class Listener: ConnectionListener {
    private let descriptor: Descriptor
    /// Where it listens, with the port that the system gave where 0 was asked for.
    public let endpoint: Endpoint

    public var number: Int32 { descriptor.number }

    /// Listens at `endpoint`. An IPv6 listener takes IPv6 only, so that both families can be
    /// bound side by side.
    public init(at endpoint: Endpoint) throws(SystemError) {
        let family = endpoint.address.isIPv4 ? AF_INET : AF_INET6
        let subject = "\(endpoint)"
        descriptor = try .socket("make a socket for", subject, family, SOCK_STREAM)
        let number = descriptor.number
        descriptor.set(SOL_SOCKET, SO_REUSEADDR, Int32(1))
        if family == AF_INET6 { descriptor.set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, Int32(1)) }
        try system("listen on", subject) {
            endpoint.withSocketAddress { bind(number, $0, $1) }
        }
        try system("listen on", subject) { listen(number, Int32(Limits.connectionsAtDoor)) }
        self.endpoint = sockaddr_storage(of: number).flatMap { Endpoint($0) } ?? endpoint
    }

    public func accept() throws(SystemError) -> Accepted? {
        var peer = sockaddr_storage()
        let number = try descriptor.accept("accept a connection at", "\(endpoint)", from: &peer)
        guard let number else { return nil }
        let socket = Socket(Descriptor(owning: number))
        socket.configure()
        return Accepted(socket: socket, peer: Endpoint(peer).map { .network($0) })
    }

    /// A connection and where it comes from.
    public struct Accepted: ~Copyable {
        public let socket: Socket
        public let peer: Destination?

        public consuming func takeSocket() -> Socket { socket }
    }
}
