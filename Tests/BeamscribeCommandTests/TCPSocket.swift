import Foundation
import Glibc
import TestSupport

/// A socket on this machine's loopback that never blocks.
final class TCPSocket: Sendable {
    let number: Int32

    private init(_ number: Int32) {
        self.number = number
        setFlags()
    }

    deinit {
        shutdown(number, Int32(SHUT_RDWR))
        close(number)
    }

    /// Connects; on the loopback that takes no time.
    ///
    /// - Parameter source: The address 127.0.0.`source` from which it does.
    static func connected(to port: UInt16, from source: UInt8 = 1) throws -> TCPSocket {
        try connected(to: port, fromHost: UInt32(source))
    }

    /// - Parameter source: The number of the address in 127.0.0.0/8 from which it does.
    static func connected(to port: UInt16, fromHost source: UInt32) throws -> TCPSocket {
        let number = try make()
        // Else the kernel chooses, and keeps a port for each address that binds to none.
        if source != 1, withAddress(0, last: source, { bind(number, $0, $1) }) != 0 {
            defer { close(number) }
            throw failure("bind to address \(source) of 127.0.0.0")
        }
        guard withAddress(port, { Glibc.connect(number, $0, $1) }) == 0 else {
            defer { close(number) }
            throw failure("connect to port \(port)")
        }
        return TCPSocket(number)
    }

    /// Listens at `port`, 0 for a free one.
    static func listening(at port: UInt16 = 0) throws -> TCPSocket {
        let number = try make()
        var one: Int32 = 1
        setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        guard withAddress(port, { bind(number, $0, $1) }) == 0, listen(number, 64) == 0 else {
            defer { close(number) }
            throw failure("listen at port \(port)")
        }
        return TCPSocket(number)
    }

    /// The next connection that waits, nil if none does.
    func accept() -> TCPSocket? {
        let accepted = Glibc.accept(number, nil, nil)
        return accepted >= 0 ? TCPSocket(accepted) : nil
    }

    /// The port of this end.
    var port: UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(number, $0, &size) }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    enum Transfer: Equatable {
        case bytes([UInt8])
        case nothing
        case end
    }

    func receive() -> Transfer {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(number, &buffer, buffer.count, 0)
        if count > 0 { return .bytes(Array(buffer[..<count])) }
        return count == -1 && (errno == EAGAIN || errno == EINTR) ? .nothing : .end
    }

    /// How many of `bytes` the kernel took; nil when the other side is gone.
    func send(_ bytes: some ContiguousBytes & Collection<UInt8>) -> Int? {
        let count = bytes.withUnsafeBytes {
            Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count >= 0 { return count }
        return errno == EAGAIN || errno == EINTR ? 0 : nil
    }

    /// From now on the end of the socket is a reset and no orderly end.
    func resetAtEnd() {
        var setting = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            number, SOL_SOCKET, SO_LINGER, &setting, socklen_t(MemoryLayout<linger>.size))
    }

    private func setFlags() {
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
    }

    private static func make() throws -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let number = socket(AF_INET, type, 0)
        guard number >= 0 else { throw failure("make a socket") }
        return number
    }

    private static func withAddress(
        _ port: UInt16, last: UInt32 = 1, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = (UInt32(0x7F00_0000) + last).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func failure(_ what: String) -> WaitFailed {
        WaitFailed(what: what, reason: String(cString: strerror(errno)), seen: "no socket")
    }
}
