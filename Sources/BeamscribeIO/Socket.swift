internal import CLinux
internal import Glibc

/// A connection's socket, which never blocks: a TCP stream, or a channel of packets that is used as
/// a stream.
///
/// Invariant: `segmentBytes` is what one packet may hold once the connection stands.
public struct Socket: ~Copyable {
    let descriptor: Descriptor
    /// The most that one send hands over: everything for a stream, a packet for a channel.
    private(set) var segmentBytes = Int.max

    /// The descriptor's number, to be registered with a loop.
    public var number: Int32 { descriptor.number }

    /// What a transfer came to. None of these is an error.
    public enum Transfer: Equatable, Sendable {
        case bytes(Int)
        /// The kernel's buffer is full, or empty.
        case wouldBlock
        /// The other side has said all that it will.
        case endOfStream
    }

    init(owning number: Int32, segmentBytes: Int = .max) {
        descriptor = Descriptor(owning: number)
        self.segmentBytes = segmentBytes
    }

    // MARK: Making

    /// Begins a connection; the socket is writable once that has succeeded or failed, and
    /// ``connect(_:)`` tells which.
    public static func connecting(to destination: Destination) throws(SystemError) -> Socket {
        switch destination {
        case .network(let endpoint): try connecting(to: endpoint)
        case .channel(let endpoint): try connecting(to: endpoint)
        }
    }

    private static func connecting(to endpoint: Endpoint) throws(SystemError) -> Socket {
        let family = endpoint.address.isIPv4 ? AF_INET : AF_INET6
        let type =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            | Int32(SOCK_CLOEXEC.rawValue)
        let number = try system("make a socket for", "\(endpoint)") {
            Glibc.socket(family, type, 0)
        }
        let made = Socket(owning: number ?? -1)
        made.configure()
        try system("connect to", "\(endpoint)", tolerating: EINPROGRESS) {
            endpoint.withSocketAddress { connect(made.number, $0, $1) }
        }
        return made
    }

    /// Why the connection that was begun failed, or nil if it stands and can be used.
    public mutating func connectionError(to destination: Destination) -> SystemError? {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
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
    func configure() {
        set(tcpLevel, TCP_NODELAY, 1)
        set(SOL_SOCKET, SO_KEEPALIVE, 1)
        set(tcpLevel, TCP_KEEPIDLE, 5)
        set(tcpLevel, TCP_KEEPINTVL, 2)
        set(tcpLevel, TCP_KEEPCNT, 3)
        set(tcpLevel, TCP_USER_TIMEOUT, Self.userTimeoutMilliseconds)
        set(tcpLevel, TCP_NOTSENT_LOWAT, Self.unsentBytes)
    }

    /// Longer than the protocol's own 6 s of silence and shorter than TCP's many minutes. A guest
    /// that reads nothing but whose machine answers is not affected before the window closes, and
    /// then has the host's own time for stuck guests.
    private static let userTimeoutMilliseconds: Int32 = 60_000
    private static let unsentBytes: Int32 = 131_072

    private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    // MARK: Using

    /// Sends as much as the kernel takes, a packet at a time where it is a channel.
    public func send(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Transfer {
        // An empty packet would be taken for the end.
        guard !bytes.isEmpty else { return .bytes(0) }
        let flags = Int32(MSG_NOSIGNAL)
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

    /// Sends as much of an array as the kernel takes.
    public func send(_ bytes: [UInt8]) throws(SystemError) -> Transfer {
        var outcome = Result<Transfer, SystemError>.success(.wouldBlock)
        bytes.withUnsafeBytes { bytes in
            do throws(SystemError) {
                outcome = .success(try send(bytes))
            } catch {
                outcome = .failure(error)
            }
        }
        return try outcome.get()
    }

    /// Receives what the kernel has, up to the size of `buffer`, which holds a channel's packet
    /// from 65,535 bytes on.
    public func receive(
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Transfer {
        let count = try system("receive", tolerating: EAGAIN) {
            recv(number, buffer.baseAddress, buffer.count, 0)
        }
        guard let count else { return .wouldBlock }
        return count == 0 ? .endOfStream : .bytes(count)
    }

    /// Says that nothing more will be sent; receiving goes on. A channel cannot say so: its users
    /// have a mark of their own for it.
    public func finishSending() {
        guard segmentBytes == .max else { return }
        shutdown(number, Int32(SHUT_WR))
    }
}

/// IPPROTO_TCP as setsockopt wants it.
let tcpLevel = Int32(IPPROTO_TCP)
