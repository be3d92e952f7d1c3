import BeamscribeCore

/// The kernel's network, on one loop.
public final class SystemNetwork: Network {
    private let eventLoop: EventLoop
    public var loop: any Loop { eventLoop }

    public init(on loop: EventLoop) {
        eventLoop = loop
    }

    public func listen(
        at endpoint: Endpoint
    ) throws(SystemError) -> (listener: any ConnectionListener, endpoint: Endpoint) {
        let listener = try Listener(at: endpoint, on: eventLoop)
        return (listener, listener.endpoint)
    }

    public func listenForChannels() throws(SystemError) -> (
        listener: any ConnectionListener, psm: UInt8
    ) {
        let listener = try ChannelListener(on: eventLoop)
        return (listener, listener.psm)
    }

    public func connect(to destination: Destination) throws(SystemError) -> any ByteStream {
        try Socket.connecting(to: destination, on: eventLoop)
    }

    public func interfaceAddresses() -> [Interfaces.Entry] { Interfaces.addresses() }

    public func watchAddresses(
        _ changed: @escaping () -> Void
    ) throws(SystemError) -> AnyObject {
        try AddressMonitor(on: eventLoop, changed)
    }

    public var openFiles: Int { ResourceLimits.openFiles }
}
