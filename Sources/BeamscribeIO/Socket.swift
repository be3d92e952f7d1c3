import BeamscribeCore
internal import CLinux
internal import Glibc

/// A connection's socket: a TCP stream, or a channel of packets that is used as a stream.
///
/// Invariant: `segmentBytes` is what one packet may hold once the connection stands.
final class Socket: ByteStream {
    private var watched: WatchedDescriptor
    /// The most that one send hands over: everything for a stream, a packet for a channel.
    private var segmentBytes: Int

    init(_ descriptor: consuming Descriptor, segmentBytes: Int = .max, on loop: EventLoop) {
        watched = WatchedDescriptor(descriptor, on: loop)
        self.segmentBytes = segmentBytes
    }

    private var number: Int32 { watched.number }

    // MARK: Making

    /// Begins a connection; see ``Network/connect(to:)``.
    static func connecting(
        to destination: Destination, on loop: EventLoop
    ) throws(SystemError) -> Socket {
        let descriptor =
            switch destination {
            case .network(let endpoint): try connecting(to: endpoint)
            case .channel(let endpoint): try connecting(to: endpoint)
            // No socket leads there.
            case .backbone: throw SystemError("connect to", "\(destination)", code: EPROTONOSUPPORT)
            }
        return Socket(descriptor, on: loop)
    }

    private static func connecting(to endpoint: Endpoint) throws(SystemError) -> Descriptor {
        let family = endpoint.address.isIPv4 ? AF_INET : AF_INET6
        let made = try Descriptor.socket(
            "make a socket for", "\(endpoint)", family, SOCK_STREAM)
        configure(made)
        try system("connect to", "\(endpoint)", tolerating: EINPROGRESS) {
            endpoint.withSocketAddress { connect(made.number, $0, $1) }
        }
        return made
    }

    func connectionError(to destination: Destination) -> SystemError? {
        var code: Int32 = 0
        var length = socklen_t(clamping: MemoryLayout<Int32>.size)
        getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &length)
        guard code == 0 else { return SystemError("connect to", "\(destination)", code: code) }
        if case .channel = destination { segmentBytes = Self.packetBytes(of: number) }
        return nil
    }

    /// Sets what every TCP connection of the program has. Failures cost comfort, not function.
    ///
    /// - TCP_NODELAY: a caption must not wait for the one before to be acknowledged.
    /// - SO_KEEPALIVE and TCP_USER_TIMEOUT: the kernel notices, too, that a peer is gone.
    /// - TCP_NOTSENT_LOWAT: what waits in the kernel can no longer be superseded, so little does.
    static func configure(_ descriptor: borrowing Descriptor) {
        let level = Int32(clamping: IPPROTO_TCP)
        descriptor.set(level, TCP_NODELAY, Int32(1))
        descriptor.set(SOL_SOCKET, SO_KEEPALIVE, Int32(1))
        descriptor.set(level, TCP_KEEPIDLE, Int32(5))
        descriptor.set(level, TCP_KEEPINTVL, Int32(2))
        descriptor.set(level, TCP_KEEPCNT, Int32(3))
        descriptor.set(level, TCP_USER_TIMEOUT, userTimeoutMilliseconds)
        descriptor.set(level, TCP_NOTSENT_LOWAT, unsentBytes)
    }

    /// Longer than the protocol's own 6 s of silence and shorter than TCP's many minutes. A guest
    /// that reads nothing but whose machine answers is not affected before the window closes, and
    /// then has the host's own time for stuck guests.
    private static let userTimeoutMilliseconds: Int32 = 60_000
    private static let unsentBytes: Int32 = 131_072

    // MARK: Using

    /// Sends as much as the kernel takes, a packet at a time where it is a channel.
    func send(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Transfer {
        // An empty packet would be taken for the end.
        guard !bytes.isEmpty else { return .bytes(0) }
        let flags = Int32(clamping: MSG_NOSIGNAL)
        var sent = 0
        repeat {
            let count = try system("send", tolerating: EAGAIN) {
                Glibc.send(
                    number, bytes.baseAddress.map { $0 + sent },
                    min(bytes.count - sent, segmentBytes), flags)
            }
            guard let count else { break }
            sent += count
            // A stream takes less than it is given when it is full, and need not be asked again.
        } while sent < bytes.count && segmentBytes != .max
        return sent == 0 ? .wouldBlock : .bytes(sent)
    }

    func receive(
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Transfer {
        let count = try system("receive", tolerating: EAGAIN) {
            recv(number, buffer.baseAddress, buffer.count, 0)
        }
        guard let count else { return .wouldBlock }
        return count == 0 ? .endOfStream : .bytes(count)
    }

    func finishSending() {
        guard segmentBytes == .max else { return }
        shutdown(number, Int32(clamping: SHUT_WR))
    }

    // MARK: Waiting

    func watch(
        for interest: Interest, _ handler: @escaping (Interest) -> Void
    ) throws(SystemError) {
        try watched.watch(for: interest, handler)
    }

    func ignore() { watched.ignore() }

    var interest: Interest {
        get { watched.interest }
        set { watched.interest = newValue }
    }
}
