import BeamscribeCore
internal import CLinux
internal import Glibc

/// A socket that takes L2CAP channels over Bluetooth Low Energy at every adapter of this machine.
final class ChannelListener: ConnectionListener {
    private var watched: WatchedDescriptor
    private let loop: EventLoop
    /// Where it listens: the PSM that the system gave, 0x80 to 0xFF.
    let psm: UInt8

    /// Listens at a free PSM; see ``Network/listenForChannels()``.
    ///
    /// - Throws: where the kernel has no Bluetooth (EAFNOSUPPORT; in a network namespace of its
    ///   own, too), or all PSMs are taken.
    init(on loop: EventLoop) throws(SystemError) {
        let descriptor = try Socket.channelSocket(for: Self.subject)
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
        self.loop = loop
        watched = WatchedDescriptor(descriptor, on: loop)
    }

    func accept() throws(SystemError) -> AcceptedConnection? {
        var peer = sockaddr_storage()
        guard let number = try watched.descriptor.accept("accept", Self.subject, from: &peer)
        else { return nil }
        let socket = Socket(
            Descriptor(owning: number), segmentBytes: Socket.packetBytes(of: number), on: loop)
        return AcceptedConnection(
            socket, from: ChannelAddress(peer)?.endpoint.map { .channel($0) })
    }

    func watch(_ ready: @escaping () -> Void) throws(SystemError) {
        try watched.watch(for: .read) { _ in ready() }
    }

    var isResting: Bool {
        get { watched.interest.isEmpty }
        set { watched.interest = newValue ? [] : .read }
    }

    private static let subject = "guests over Bluetooth"
    private static let backlog: Int32 = 16
}
