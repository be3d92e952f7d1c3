internal import CLinux
internal import Glibc

/// A socket that takes connections, of whatever kind.
public protocol ConnectionListener: AnyObject {
    /// The descriptor's number, to be registered with a loop for reading.
    var number: Int32 { get }
    /// The next connection that waits, or nil if none does.
    func accept() throws(SystemError) -> Listener.Accepted?
}

extension Descriptor {
    /// Takes the next connection that waits at this listener, and says where it comes from; nil if
    /// none waits.
    func accept(
        _ operation: String, _ subject: @autoclosure () -> String, from peer: inout sockaddr_storage
    ) throws(SystemError) -> Int32? {
        let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        // A connection that has gone again before it was accepted is no connection.
        return try system(operation, subject(), tolerating: EAGAIN, ECONNABORTED) {
            peer.fill { clinux_accept4(number, $0, $1, flags) }
        }
    }
}
