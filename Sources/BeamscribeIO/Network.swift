import BeamscribeCore

/// What a machine is connected to, as one thread's loop sees it: what it listens at, what it connects
/// to, and its own addresses.
///
/// ``SystemNetwork`` is the kernel's.
public protocol Network: AnyObject {
    /// The loop on which it tells of what happens.
    var loop: any Loop { get }

    /// Listens at `endpoint`, for IPv6 at that alone, so that both families can be bound side by side.
    ///
    /// - Returns: what takes the connections, and where, with the port that the system gave where 0
    ///   was asked for.
    func listen(
        at endpoint: Endpoint
    ) throws(SystemError) -> (listener: any ConnectionListener, endpoint: Endpoint)

    /// Listens for L2CAP channels at a free PSM. Needs no privilege.
    ///
    /// - Throws: where there is no Bluetooth, or all PSMs are taken.
    func listenForChannels() throws(SystemError) -> (listener: any ConnectionListener, psm: UInt8)

    /// Begins a connection; it is writable once that has succeeded or failed, and
    /// ``ByteStream/connectionError(to:)`` tells which.
    func connect(to destination: Destination) throws(SystemError) -> any ByteStream

    /// The addresses of all interfaces that are up, loopback included.
    func interfaceAddresses() -> [Interfaces.Entry]

    /// Calls `changed` whenever an address came or went, until nobody has what this gives.
    func watchAddresses(_ changed: @escaping () -> Void) throws(SystemError) -> AnyObject

    /// How many connections, files and the like may be open at once.
    var openFiles: Int { get }
}

/// A connection's bytes in both directions. It never blocks, and is closed when nobody has it any
/// more.
public protocol ByteStream: AnyObject {
    /// Sends as much as is taken.
    func send(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Transfer

    /// Receives what there is, up to the size of `buffer`, which holds a channel's packet from 65,535
    /// bytes on.
    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Transfer

    /// Says that nothing more will be sent; receiving goes on. A channel cannot say so: its users
    /// have a mark of their own for it.
    func finishSending()

    /// Why the connection that was begun failed, or nil if it stands and can be used.
    func connectionError(to destination: Destination) -> SystemError?

    /// Calls `handler` on the loop whenever the stream is ready for what is waited for. It takes the
    /// place of an earlier one, and is called no more once the stream is closed.
    func watch(
        for interest: Interest, _ handler: @escaping (Interest) -> Void
    ) throws(SystemError)

    /// Calls nobody any more, until it is watched again.
    func ignore()

    /// What is waited for. Ask for `write` only while output waits: a stream is writable nearly
    /// always, and the loop would never rest.
    var interest: Interest { get set }
}

extension ByteStream {
    /// Sends as much of an array as is taken.
    public func send(_ bytes: [UInt8]) throws(SystemError) -> Transfer {
        try bytes.span.withUnsafeBytes { raw throws(SystemError) in try send(raw) }
    }
}

/// What a transfer came to. None of these is an error.
public enum Transfer: Equatable, Sendable {
    case bytes(Int)
    /// There is nothing for now, or no room.
    case wouldBlock
    /// The other side has said all that it will.
    case endOfStream
}

/// Where connections come in. It is closed when nobody has it any more.
public protocol ConnectionListener: AnyObject {
    /// The next connection that waits, or nil if none does.
    func accept() throws(SystemError) -> AcceptedConnection?

    /// Calls `ready` on the loop whenever connections wait, unless ``isResting``.
    func watch(_ ready: @escaping () -> Void) throws(SystemError)

    /// Whether nobody is to be told of connections that wait.
    var isResting: Bool { get set }
}

/// A connection that came in, and where it comes from.
public struct AcceptedConnection {
    public let stream: any ByteStream
    /// Nil where the system does not know.
    public let peer: Destination?

    public init(_ stream: any ByteStream, from peer: Destination?) {
        self.stream = stream
        self.peer = peer
    }
}
