/// A socket that takes connections, of whatever kind.
public protocol ConnectionListener: ~Copyable {
    /// The descriptor's number, to be registered with a loop for reading.
    var number: Int32 { get }
    /// The next connection that waits, or nil if none does.
    func accept() throws(SystemError) -> Listener.Accepted?
}
