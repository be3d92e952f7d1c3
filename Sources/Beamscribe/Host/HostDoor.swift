import BeamscribeIO

/// Where connections come in.
protocol HostDoor: AnyObject {
    /// The listener's descriptor.
    var number: Int32 { get }
    /// Its place in the loop, which the door's owner gives it.
    var registration: Registration? { get set }
    /// The next connection that waits, or nil if none does.
    func accept() throws(SystemError) -> Listener.Accepted?
}

/// A door with a listener: a TCP port, or a PSM for channels over Bluetooth.
final class ListeningDoor<Socket: ConnectionListener & ~Copyable>: HostDoor {
    let listener: Socket
    var registration: Registration?
    var number: Int32 { listener.number }

    init(_ listener: consuming Socket) {
        self.listener = listener
    }

    deinit {
        registration?.cancel()
    }

    func accept() throws(SystemError) -> Listener.Accepted? { try listener.accept() }
}
