internal import BeamscribeCore
internal import CLinux
internal import Glibc

/// A TCP socket that takes connections.
public struct Listener: ConnectionListener, ~Copyable {
    private let descriptor: Descriptor
    /// Where it listens, with the port that the system gave where 0 was asked for.
    public let endpoint: Endpoint

    /// The descriptor's number, to be registered with a loop for reading.
    public var number: Int32 { descriptor.number }

    /// Listens at `endpoint`. An IPv6 listener takes IPv6 only, so that both families can be
    /// bound side by side.
    public init(at endpoint: Endpoint) throws(SystemError) {
        let family = endpoint.address.isIPv4 ? AF_INET : AF_INET6
        let type =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            | Int32(SOCK_CLOEXEC.rawValue)
        let subject = "\(endpoint)"
        let number = try system("make a socket for", subject) { socket(family, type, 0) } ?? -1
        let owned = Descriptor(owning: number)
        var one: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &one, size)
        if family == AF_INET6 {
            setsockopt(number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &one, size)
        }
        try system("listen on", subject) {
            endpoint.withSocketAddress { bind(number, $0, $1) }
        }
        try system("listen on", subject) { listen(number, Int32(Limits.connectionsAtDoor)) }
        self.endpoint = sockaddr_storage(of: number).flatMap { Endpoint($0) } ?? endpoint
        descriptor = owned
    }

    /// The next connection that waits, or nil if none does.
    public func accept() throws(SystemError) -> Accepted? {
        var storage = sockaddr_storage()
        let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        // A connection that has gone again before it was accepted is no connection.
        let number = try system(
            "accept a connection at", "\(endpoint)", tolerating: EAGAIN, ECONNABORTED
        ) {
            storage.fill { clinux_accept4(descriptor.number, $0, $1, flags) }
        }
        guard let number else { return nil }
        let socket = Socket(owning: number)
        socket.configure()
        return Accepted(socket: socket, peer: Endpoint(storage).map { .network($0) })
    }

    /// A connection and where it comes from.
    public struct Accepted: ~Copyable {
        /// The connection.
        public let socket: Socket
        /// Where it comes from.
        public let peer: Destination?

        /// Hands the socket over.
        public consuming func takeSocket() -> Socket { socket }
    }
}

extension sockaddr_storage {
    /// The address that a socket has on this machine; nil where it has none.
    init?(of number: Int32) {
        self.init()
        guard fill({ getsockname(number, $0, $1) }) == 0 else { return nil }
    }

    /// Has a call of the system fill this in, and returns what that does.
    mutating func fill(
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> Int32 {
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &self) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &length) }
        }
    }
}
