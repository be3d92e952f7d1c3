import Foundation
import Glibc
import Synchronization

/// A TCP connection to a server of this machine. A test sends on it what it likes, and reads when
/// it likes: what it does not read stays with the kernel.
public final class RawConnection: Sendable {
    private struct Incoming {
        var bytes: [UInt8] = []
        var hasEnded = false
        var scratch = [UInt8](repeating: 0, count: 65_536)
    }

    private let number: Int32
    private let incoming = Mutex(Incoming())

    /// Connects; on one machine that takes no time.
    ///
    /// - Parameters:
    ///   - address: an IPv4 address of this machine.
    ///   - source: the address to come from; nil for what the kernel takes.
    ///   - receiveBuffer: how many bytes the kernel may keep for it; nil for as many as it likes.
    public init(
        to port: UInt16, at address: String = "127.0.0.1", from source: String? = nil,
        receiveBuffer: Int32? = nil
    ) throws {
        number = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw Self.failure("make a socket") }
        if var size = receiveBuffer {
            setsockopt(number, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        if let source, Self.withAddress(source, 0, { bind(number, $0, $1) }) != 0 {
            throw Self.failure("bind to \(source)")
        }
        guard Self.withAddress(address, port, { Glibc.connect(number, $0, $1) }) == 0 else {
            throw Self.failure("connect to \(address):\(port)")
        }
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
    }

    deinit {
        if number >= 0 { close(number) }
    }

    // MARK: Sending

    /// Sends all of it; throws when the server has gone or takes nothing for too long.
    nonisolated(nonsending) public func send(
        _ bytes: [UInt8], within limit: Duration = Deadline.generous
    ) async throws {
        var rest = bytes[...]
        try await eventually("the server to take \(bytes.count) bytes", within: limit) {
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if count < 0, errno == EAGAIN { return false }
                guard count >= 0 else { throw Self.failure("send") }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    nonisolated(nonsending) public func send(_ text: String) async throws {
        try await send(Array(text.utf8))
    }

    /// Says that nothing more is sent, and goes on reading.
    public func finishSending() {
        shutdown(number, Int32(SHUT_WR))
    }

    /// From now on the end of this is a reset and no orderly end.
    public func resetAtEnd() {
        var setting = linger(l_onoff: 1, l_linger: 0)
        setsockopt(number, SOL_SOCKET, SO_LINGER, &setting, socklen_t(MemoryLayout<linger>.size))
    }

    // MARK: Reading

    /// Waits until `find` answers something of what has come and was not taken, and of whether it
    /// has ended. It takes what it uses.
    nonisolated(nonsending) public func read<Value: Sendable>(
        _ what: String, within limit: Duration = Deadline.generous,
        find: (inout [UInt8], Bool) throws -> Value?
    ) async throws -> Value {
        var isFirst = true
        // Soon again: what the kernel keeps of a small buffer must not set how fast it is read.
        return try await eventualValue(what, within: limit, every: .milliseconds(2), seen: { seen })
        {
            guard receive() || isFirst else { return nil }
            isFirst = false
            var (bytes, hasEnded) = incoming.withLock { incoming in
                defer { incoming.bytes = [] }
                return (incoming.bytes, incoming.hasEnded)
            }
            defer { incoming.withLock { $0.bytes = bytes + $0.bytes } }
            if let value = try find(&bytes, hasEnded) { return value }
            if hasEnded {
                throw WaitFailed(what: what, reason: "the server has ended it", seen: seen(bytes))
            }
            return nil
        }
    }

    /// Waits until the server has ended the connection, and answers all that came.
    @discardableResult
    nonisolated(nonsending) public func readToEnd(
        within limit: Duration = Deadline.generous
    ) async throws -> [UInt8] {
        try await read("the end of the connection", within: limit) { bytes, hasEnded in
            guard hasEnded else { return nil }
            defer { bytes = [] }
            return bytes
        }
    }

    /// Whether the server has ended the connection. What has come meanwhile is kept.
    public var hasEnded: Bool {
        receive()
        return incoming.withLock { $0.hasEnded }
    }

    /// Takes from the kernel what it has; true where that is anything, or the end.
    @discardableResult
    private func receive() -> Bool {
        incoming.withLock { incoming in
            var isNew = false
            while !incoming.hasEnded {
                let count = incoming.scratch.withUnsafeMutableBytes {
                    recv(number, $0.baseAddress, $0.count, 0)
                }
                if count < 0, errno == EAGAIN { break }
                incoming.hasEnded = count <= 0
                if count > 0 { incoming.bytes += incoming.scratch[..<count] }
                isNew = true
            }
            return isNew
        }
    }

    private var seen: String { incoming.withLock { seen($0.bytes) } }

    private func seen(_ bytes: [UInt8]) -> String {
        "\(bytes.count) bytes, at the end \(String(decoding: bytes.suffix(400), as: UTF8.self))"
    }

    private static func withAddress(
        _ address: String, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var socketAddress = sockaddr_in()
        socketAddress.sin_family = sa_family_t(AF_INET)
        socketAddress.sin_port = port.bigEndian
        inet_pton(AF_INET, address, &socketAddress.sin_addr)
        return withUnsafePointer(to: &socketAddress) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func failure(_ what: String) -> WaitFailed {
        WaitFailed(what: what, reason: String(cString: strerror(errno)), seen: "no connection")
    }
}
