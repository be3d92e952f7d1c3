internal import BeamscribeCore
internal import CLinux
internal import Glibc

/// Tells when an address of this machine came or went (rtnetlink(7)).
final class AddressMonitor {
    private let descriptor: Descriptor
    private var registration: Registration?
    @OwnedTimer private var pending: LoopTimer?

    /// - Parameter changed: called once things have been quiet for a moment after a change, since
    ///   one change comes as many messages.
    init(
        on loop: EventLoop, _ changed: @escaping () -> Void
    ) throws(SystemError) {
        descriptor = try .socket(
            "watch", "the network's addresses", AF_NETLINK, SOCK_RAW, NETLINK_ROUTE)
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(clamping: AF_NETLINK)
        address.nl_groups =
            UInt32(clamping: RTMGRP_IPV4_IFADDR) | UInt32(clamping: RTMGRP_IPV6_IFADDR)
        try system("watch", "the network's addresses") {
            withAddress(address) { bind(descriptor.number, $0, $1) }
        }
        registration = try loop.register(descriptor.number, for: .read) { [unowned self] _ in
            drain()
            pending = loop.schedule(after: Limits.addressesQuiet, changed)
        }
    }

    deinit {
        registration?.cancel()
    }

    /// What changed is not looked at: whoever cares asks for the addresses anew.
    private func drain() {
        var buffer = [UInt8](repeating: 0, count: 8_192)
        while recv(descriptor.number, &buffer, buffer.count, 0) > 0 {}
    }
}
