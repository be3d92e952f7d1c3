internal import BeamscribeCore
internal import CLinux
internal import Glibc

/// A TCP socket that takes connections.
final class Listener: ConnectionListener {
    private var watched: WatchedDescriptor
    private let loop: EventLoop
    /// Where it listens, with the port that the system gave where 0 was asked for.
    let endpoint: Endpoint

    /// Listens at `endpoint`; see ``Network/listen(at:)``.
    init(at endpoint: Endpoint, on loop: EventLoop) throws(SystemError) {
        let family = endpoint.address.isIPv4 ? AF_INET : AF_INET6
        let subject = "\(endpoint)"
        let descriptor = try Descriptor.socket("make a socket for", subject, family, SOCK_STREAM)
        let number = descriptor.number
        descriptor.set(SOL_SOCKET, SO_REUSEADDR, Int32(1))
        if family == AF_INET6 {
            descriptor.set(Int32(clamping: IPPROTO_IPV6), IPV6_V6ONLY, Int32(1))
        }
        try system("listen on", subject) {
            endpoint.withSocketAddress { bind(number, $0, $1) }
        }
        try system("listen on", subject) {
            listen(number, Int32(clamping: Limits.connectionsAtDoor))
        }
        self.endpoint = sockaddr_storage(of: number).flatMap { Endpoint($0) } ?? endpoint
        self.loop = loop
        watched = WatchedDescriptor(descriptor, on: loop)
    }

    func accept() throws(SystemError) -> AcceptedConnection? {
        var peer = sockaddr_storage()
        let accepted = try watched.descriptor.accept(
            "accept a connection at", "\(endpoint)", from: &peer)
        guard let accepted else { return nil }
        let descriptor = Descriptor(owning: accepted)
        Socket.configure(descriptor)
        return AcceptedConnection(
            Socket(descriptor, on: loop), from: Endpoint(peer).map { .network($0) })
    }

    func watch(_ ready: @escaping () -> Void) throws(SystemError) {
        try watched.watch(for: .read) { _ in ready() }
    }

    var isResting: Bool {
        get { watched.interest.isEmpty }
        set { watched.interest = newValue ? [] : .read }
    }
}
