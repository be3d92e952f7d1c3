import BeamscribeCore
internal import CLinux
internal import Glibc

extension Descriptor {
    /// Makes a socket that never blocks.
    static func socket(
        _ operation: String, _ subject: @autoclosure () -> String, _ family: Int32,
        _ type: __socket_type, _ number: Int32 = 0
    ) throws(SystemError) -> Descriptor {
        let flags =
            Int32(clamping: type.rawValue) | Int32(clamping: SOCK_NONBLOCK.rawValue)
            | Int32(clamping: SOCK_CLOEXEC.rawValue)
        return try Descriptor(operation, subject()) { Glibc.socket(family, flags, number) }
    }

    /// Sets an option of a socket, and returns what the system says to that.
    @discardableResult
    func set<Value>(_ level: Int32, _ option: Int32, _ value: Value) -> Int32 {
        withUnsafeBytes(of: value) {
            setsockopt(number, level, option, $0.baseAddress, socklen_t(clamping: $0.count))
        }
    }

    /// Takes the next connection that waits at this listener, and says where it comes from; nil if
    /// none waits. The last few descriptors that the process may have are not for connections.
    func accept(
        _ operation: String, _ subject: @autoclosure () -> String, from peer: inout sockaddr_storage
    ) throws(SystemError) -> Int32? {
        guard ResourceLimits.hasSpareFiles(beside: number) else {
            if isReadable { throw SystemError(operation, subject(), code: EMFILE) }
            return nil
        }
        let flags = Int32(clamping: SOCK_NONBLOCK.rawValue) | Int32(clamping: SOCK_CLOEXEC.rawValue)
        // A connection that has gone again before it was accepted is no connection.
        return try system(operation, subject(), tolerating: EAGAIN, ECONNABORTED) {
            peer.fill { clinux_accept4(number, $0, $1, flags) }
        }
    }

    private var isReadable: Bool {
        var waiting = pollfd(fd: number, events: Int16(clamping: POLLIN), revents: 0)
        return poll(&waiting, 1, 0) == 1
    }
}

/// Calls `body` with an address of a socket as the system wants it.
func withAddress<Address, Result>(
    _ address: Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
    withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(clamping: MemoryLayout<Address>.size))
        }
    }
}

extension sockaddr_storage {
    /// The address that a socket has on this machine; nil where it has none.
    init?(of number: Int32) {
        self.init()
        guard fill({ getsockname(number, $0, $1) }) == 0 else { return nil }
    }

    /// Has a call of the system fill this in, and returns what that does.
    mutating func fill(
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> Int32 {
        var length = socklen_t(clamping: MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &self) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &length) }
        }
    }
}
