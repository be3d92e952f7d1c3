internal import CLinux
internal import Glibc

/// Tells when an address of this machine came or went (rtnetlink(7)).
public final class AddressMonitor {
    private let descriptor: Descriptor
    private var registration: Registration?
    private var pending: LoopTimer?

    /// - Parameter changed: called once things have been quiet for a moment after a change, since
    ///   one change comes as many messages.
    public init(
        on loop: EventLoop, _ changed: @escaping () -> Void
    ) throws(SystemError) {
        let type =
            Int32(SOCK_RAW.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            | Int32(SOCK_CLOEXEC.rawValue)
        let number = try system("watch", "the network's addresses") {
            socket(AF_NETLINK, type, NETLINK_ROUTE)
        }
        descriptor = Descriptor(owning: number ?? -1)
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups = UInt32(RTMGRP_IPV4_IFADDR) | UInt32(RTMGRP_IPV6_IFADDR)
        let size = socklen_t(MemoryLayout<sockaddr_nl>.size)
        try system("watch", "the network's addresses") {
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor.number, $0, size)
                }
            }
        }
        registration = try loop.register(descriptor.number, for: .read) { [unowned self] _ in
            drain()
            pending?.cancel()
            pending = loop.schedule(after: Self.quiet, changed)
        }
    }

    deinit {
        pending?.cancel()
        registration?.cancel()
    }

    private static let quiet = Duration.milliseconds(100)

    /// What changed is not looked at: whoever cares asks for the addresses anew.
    private func drain() {
        var buffer = [UInt8](repeating: 0, count: 8_192)
        while recv(descriptor.number, &buffer, buffer.count, 0) > 0 {}
    }
}
