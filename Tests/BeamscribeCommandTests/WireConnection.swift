import Foundation
import TestSupport

/// A connection that says exactly the bytes it is told to, and takes frames apart.
final class WireConnection {
    private let socket: TCPSocket
    private var unread: [UInt8] = []
    /// The other side has ended the connection, in good order or not.
    private(set) var hasEnded = false

    init(_ socket: TCPSocket) {
        self.socket = socket
    }

    /// A connection to a host.
    convenience init(to port: UInt16) throws {
        self.init(try TCPSocket.connected(to: port))
    }

    /// Sends all of `bytes`. False when the other side would not take them.
    @discardableResult
    func send(_ bytes: [UInt8], within limit: Duration = .seconds(20)) async throws -> Bool {
        var rest = bytes[...]
        try await eventually("the other side to take bytes", within: limit, every: pause) {
            while !rest.isEmpty {
                guard let count = socket.send(rest) else {
                    hasEnded = true
                    return true
                }
                if count == 0 { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
        return rest.isEmpty
    }

    /// Sends as much of `bytes` as the kernel takes now.
    func sendWhatFits(_ bytes: [UInt8]) {
        if socket.send(bytes) == nil { hasEnded = true }
    }

    func send(_ frames: [[UInt8]]) async throws {
        try await send(Array(frames.joined()))
    }

    /// The next packet that comes.
    func receive(within limit: Duration = .seconds(20)) async throws -> Message {
        let payload = try await eventualValue("a packet", within: limit, every: pause) {
            readWhatIsThere()
            if let payload = takeFrame() { return payload }
            guard hasEnded else { return nil }
            throw WaitFailed(what: "a packet", reason: "the connection has ended", seen: "nothing")
        }
        return try JSONDecoder().decode(Message.self, from: Data(payload))
    }

    /// The next packet of type `type`; others are passed over.
    func receive(_ type: String, within limit: Duration = .seconds(20)) async throws -> Message {
        while true {
            let message = try await receive(within: limit)
            if message.type == type { return message }
        }
    }

    /// Waits until the other side has ended the connection; what it sent before is passed over.
    func waitForEnd(within limit: Duration = .seconds(20)) async throws {
        try await eventually("the other side to end the connection", within: limit, every: pause) {
            readWhatIsThere()
            return hasEnded
        }
    }

    /// Takes in what waits, and says whether the connection still stands.
    func isOpen() -> Bool {
        readWhatIsThere()
        return !hasEnded
    }

    private let pause = Duration.milliseconds(5)

    private func readWhatIsThere() {
        while !hasEnded {
            switch socket.receive() {
            case .bytes(let bytes): unread += bytes
            case .nothing: return
            case .end: hasEnded = true
            }
        }
    }

    private func takeFrame() -> [UInt8]? {
        guard unread.count >= 4 else { return nil }
        let length = unread[..<4].reduce(0) { $0 << 8 | Int($1) }
        guard unread.count >= 4 + length else { return nil }
        defer { unread.removeFirst(4 + length) }
        return Array(unread[4..<(4 + length)])
    }
}
