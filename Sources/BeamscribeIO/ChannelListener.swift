internal import CLinux
internal import Glibc

/// A socket that takes L2CAP channels over Bluetooth Low Energy at every adapter of this machine.
public struct ChannelListener: ConnectionListener, ~Copyable {
    private let descriptor: Descriptor
    /// Where it listens: the PSM that the system gave, 0x80 to 0xFF.
    public let psm: UInt8

    /// The descriptor's number, to be registered with a loop for reading.
    public var number: Int32 { descriptor.number }

    /// Listens at a free PSM. Needs no privilege.
    ///
    /// - Throws: where the kernel has no Bluetooth (EAFNOSUPPORT; in a network namespace of its
    ///   own, too), or all PSMs are taken.
    public init() throws(SystemError) {
        let number = try Socket.channelSocket(for: Self.subject)
        let owned = Descriptor(owning: number)
        try system("listen for", Self.subject) {
            ChannelAddress.any.withSocketAddress { bind(number, $0, $1) }
        }
        try system("listen for", Self.subject) { listen(number, Self.backlog) }
        let address = sockaddr_storage(of: number).flatMap { ChannelAddress($0) }
        guard let psm = (address?.endpoint?.psm).flatMap(UInt8.init(exactly:)), psm >= 0x80 else {
            throw SystemError("listen for", Self.subject, code: EADDRNOTAVAIL)
        }
        self.psm = psm
        descriptor = owned
    }

    /// The next channel that waits, or nil if none does.
    public func accept() throws(SystemError) -> Listener.Accepted? {
        var storage = sockaddr_storage()
        let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let number = try system("accept", Self.subject, tolerating: EAGAIN, ECONNABORTED) {
            storage.fill { clinux_accept4(descriptor.number, $0, $1, flags) }
        }
        guard let number else { return nil }
        let socket = Socket(owning: number, segmentBytes: Socket.packetBytes(of: number))
        let peer = ChannelAddress(storage)?.endpoint
        return Listener.Accepted(socket: socket, peer: peer.map { .channel($0) })
    }

    private static let subject = "guests over Bluetooth"
    private static let backlog: Int32 = 16
}
