import BeamscribeIO

/// Where connections come in.
protocol HostDoor: AnyObject {
    /// The listener's descriptor.
    var number: Int32 { get }
    /// Its place in the loop, which the door's owner has given it.
    var registration: Registration? { get set }
    /// The next connection that waits, or nil if none does.
    func accept() throws(SystemError) -> Listener.Accepted?
}

/// A TCP port.
final class NetworkDoor: HostDoor {
    let listener: Listener
    var registration: Registration?
    var number: Int32 { listener.number }

    init(_ listener: consuming Listener) {
        self.listener = listener
    }

    deinit {
        registration?.cancel()
    }

    func accept() throws(SystemError) -> Listener.Accepted? { try listener.accept() }
}

/// A PSM for channels over Bluetooth.
final class ChannelDoor: HostDoor {
    let listener: ChannelListener
    var registration: Registration?
    var number: Int32 { listener.number }

    init(_ listener: consuming ChannelListener) {
        self.listener = listener
    }

    deinit {
        registration?.cancel()
    }

    func accept() throws(SystemError) -> Listener.Accepted? { try listener.accept() }
}
