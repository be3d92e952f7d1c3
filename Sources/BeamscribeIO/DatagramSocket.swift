internal import BeamscribeCore
internal import CLinux
internal import Glibc

/// Where a datagram comes from, and to which of this machine's addresses it came: who answers from another is not
/// known to who waits for an answer, nor to the firewalls in between.
public struct DatagramAddress: Equatable, Sendable {
    fileprivate var peer = sockaddr_in6()
    fileprivate var peerLength: socklen_t = 0
    fileprivate var here = clinux_local_address()

    fileprivate init(_ datagram: clinux_datagram) {
        (peer, peerLength, here) = (datagram.peer, datagram.peer_length, datagram.here)
    }

    /// The other end of a socket that has one.
    private init() {}

    /// Where a connected socket's datagrams go.
    public static let connected = DatagramAddress()

    /// The other end.
    public var endpoint: Endpoint? { withUnsafeBytes(of: peer) { Endpoint(at: $0.baseAddress!) } }

    // What pads an address may be anything.
    public static func == (one: DatagramAddress, other: DatagramAddress) -> Bool {
        guard one.peerLength == other.peerLength, one.peer.sin6_family == other.peer.sin6_family,
            one.peer.sin6_port == other.peer.sin6_port, one.isHere(as: other)
        else { return false }
        // Of IPv4 the address lies where the other family has a label.
        guard Int32(one.peer.sin6_family) == AF_INET6 else {
            return one.peer.sin6_flowinfo == other.peer.sin6_flowinfo
        }
        return one.peer.sin6_scope_id == other.peer.sin6_scope_id
            && areSame(one.peer.sin6_addr, other.peer.sin6_addr)
    }

    private func isHere(as other: DatagramAddress) -> Bool {
        here.interface == other.here.interface
            && Self.areSame(here.address, other.here.address)
    }

    private static func areSame(_ one: in6_addr, _ other: in6_addr) -> Bool {
        withUnsafeBytes(of: one) { one in
            withUnsafeBytes(of: other) { one.elementsEqual($0) }
        }
    }
}

/// A UDP socket that takes and sends many datagrams with one call, in the class of what must not wait (DSCP EF,
/// RFC 3246).
///
/// It may be made on any thread, and belongs to the one on which it is watched.
public final class DatagramSocket {
    /// Where it is, with the port that the system gave where 0 was asked for.
    public let endpoint: Endpoint
    private let descriptor: Descriptor
    private var registration: Registration?
    private let room = UnsafeMutableRawBufferPointer.allocate(
        byteCount: batch * slot, alignment: 16)

    /// As many datagrams as are taken or sent with one call.
    private static let batch = clinux_datagrams
    /// The longest datagram that is taken, in bytes: what Ethernet carries in one. Longer ones are left out.
    private static let longest = 1_500
    private static let slot = 1_504
    /// As many as wait with the system while the program does something else: 0.1 s of 64 listeners.
    private static let systemBuffer: Int32 = 1 << 20

    /// Takes what is sent to `endpoint`; `[::]` is for IPv4, too.
    public init(at endpoint: Endpoint) throws(SystemError) {
        let family = endpoint.address.isIPv4 ? AF_INET : AF_INET6
        let subject = "UDP port \(endpoint.port)"
        descriptor = try .socket("make a socket for", subject, family, SOCK_DGRAM)
        let number = descriptor.number
        if family == AF_INET6 {
            let isForBoth: Int32 = endpoint.address.isAny ? 0 : 1
            descriptor.set(Int32(clamping: IPPROTO_IPV6), IPV6_V6ONLY, isForBoth)
            try system("set up", subject) { clinux_tell_local_addresses(number) }
        }
        try system("use", subject) { endpoint.withSocketAddress { bind(number, $0, $1) } }
        self.endpoint = sockaddr_storage(of: number).flatMap { Endpoint($0) } ?? endpoint
        configure()
    }

    /// Sends to `peer`, and takes what comes from there alone.
    public init(to peer: Endpoint) throws(SystemError) {
        let family = peer.address.isIPv4 ? AF_INET : AF_INET6
        descriptor = try .socket("make a socket for", "\(peer)", family, SOCK_DGRAM)
        let number = descriptor.number
        try system("reach", "\(peer) by UDP") {
            peer.withSocketAddress { connect(number, $0, $1) }
        }
        endpoint = sockaddr_storage(of: number).flatMap { Endpoint($0) } ?? peer
        configure()
    }

    deinit {
        registration?.cancel()
        room.deallocate()
    }

    /// What is refused here costs quality, and nothing else.
    private func configure() {
        let expeditedForwarding: Int32 = 46 << 2
        descriptor.set(Int32(clamping: IPPROTO_IP), IP_TOS, expeditedForwarding)
        descriptor.set(Int32(clamping: IPPROTO_IPV6), IPV6_TCLASS, expeditedForwarding)
        descriptor.set(SOL_SOCKET, SO_RCVBUF, Self.systemBuffer)
        descriptor.set(SOL_SOCKET, SO_SNDBUF, Self.systemBuffer)
    }

    /// Calls `ready` whenever something may have come.
    public func watch(on loop: EventLoop, _ ready: @escaping () -> Void) throws(SystemError) {
        registration = try loop.register(descriptor.number, for: .read) { _ in ready() }
    }

    /// Gives away what has come.
    ///
    /// - Parameter take: gets each datagram, which may be changed where it lies and is valid during the call.
    /// - Returns: whether more may wait.
    public func receive(
        _ take: (UnsafeMutableRawBufferPointer, DatagramAddress) -> Void
    ) -> Bool {
        let count = withUnsafeTemporaryAllocation(of: clinux_datagram.self, capacity: Self.batch) {
            datagrams -> Int in
            for index in 0..<Self.batch {
                var empty = clinux_datagram()
                empty.bytes = room.baseAddress! + index * Self.slot
                empty.count = Self.longest
                datagrams.initializeElement(at: index, to: empty)
            }
            let count = clinux_receive_datagrams(
                descriptor.number, datagrams.baseAddress!, Int32(clamping: Self.batch))
            for datagram in datagrams[..<max(0, Int(count))] where datagram.count <= Self.longest {
                take(
                    UnsafeMutableRawBufferPointer(
                        start: datagram.bytes, count: datagram.count),
                    DatagramAddress(datagram))
            }
            return Int(count)
        }
        return count == Self.batch
    }

    /// Sends datagrams. What the system does not take at once is dropped: it would come too late.
    ///
    /// - Parameters:
    ///   - count: how many.
    ///   - bytes: where their bytes are.
    ///   - datagram: where each of them is in that, and where it goes.
    public func send(
        _ count: Int, of bytes: UnsafeRawBufferPointer,
        _ datagram: (Int) -> (range: Range<Int>, address: DatagramAddress)
    ) {
        withUnsafeTemporaryAllocation(of: clinux_datagram.self, capacity: Self.batch) { batch in
            for start in stride(from: 0, to: count, by: Self.batch) {
                let end = min(start + Self.batch, count)
                for index in start..<end {
                    let (range, address) = datagram(index)
                    var made = clinux_datagram()
                    made.bytes = UnsafeMutableRawPointer(
                        mutating: bytes.baseAddress! + range.lowerBound)
                    made.count = range.count
                    (made.peer, made.peer_length) = (address.peer, address.peerLength)
                    made.here = address.here
                    batch.initializeElement(at: index - start, to: made)
                }
                send(UnsafeBufferPointer(rebasing: batch[..<(end - start)]))
            }
        }
    }

    /// One that cannot be sent, to a machine that is not there say, does not hold up the others.
    private func send(_ batch: UnsafeBufferPointer<clinux_datagram>) {
        var rest = batch[...]
        while !rest.isEmpty {
            do throws(SystemError) {
                let count = try system("send", tolerating: EAGAIN, ENOBUFS) {
                    clinux_send_datagrams(
                        descriptor.number, UnsafeBufferPointer(rebasing: rest).baseAddress!,
                        Int32(clamping: rest.count))
                }
                guard let count else { return }
                rest = rest.dropFirst(Int(count))
            } catch {
                rest = rest.dropFirst()
            }
        }
    }
}
