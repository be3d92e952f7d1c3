internal import CLinux
internal import Glibc

/// A socket that takes L2CAP channels over Bluetooth Low Energy at every adapter of this machine.
public final class ChannelListener: ConnectionListener {
    private let descriptor: Descriptor
    /// Where it listens: the PSM that the system gave, 0x80 to 0xFF.
    public let psm: UInt8

    public var number: Int32 { descriptor.number }

    /// Listens at a free PSM. Needs no privilege.
    ///
    /// - Throws: where the kernel has no Bluetooth (EAFNOSUPPORT; in a network namespace of its
    ///   own, too), or all PSMs are taken.
    public init() throws(SystemError) {
        descriptor = try Socket.channelSocket(for: Self.subject)
        let number = descriptor.number
        try system("listen for", Self.subject) {
            ChannelAddress.any.withSocketAddress { bind(number, $0, $1) }
        }
        try system("listen for", Self.subject) { listen(number, Self.backlog) }
        let address = sockaddr_storage(of: number).flatMap { ChannelAddress($0) }
        guard let psm = (address?.endpoint?.psm).flatMap(UInt8.init(exactly:)), psm >= 0x80 else {
            throw SystemError("listen for", Self.subject, code: EADDRNOTAVAIL)
        }
        self.psm = psm
    }

    public func accept() throws(SystemError) -> Listener.Accepted? {
        var peer = sockaddr_storage()
        guard let number = try descriptor.accept("accept", Self.subject, from: &peer) else {
            return nil
        }
        let socket = Socket(
            Descriptor(owning: number), segmentBytes: Socket.packetBytes(of: number))
        return Listener.Accepted(
            socket: socket, peer: ChannelAddress(peer)?.endpoint.map { .channel($0) })
    }

    private static let subject = "guests over Bluetooth"
    private static let backlog: Int32 = 16
}
