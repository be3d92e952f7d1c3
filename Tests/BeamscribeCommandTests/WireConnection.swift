import BeamscribeTLS
import Foundation
import TestSupport

/// A connection that says exactly the bytes it is told to, and takes frames apart: within TLS, or
/// plainly.
///
/// The TLS is the project's own; what other libraries make of it is tested elsewhere.
final class WireConnection {
    private let socket: TCPSocket
    private let tls: TLSConnection?
    private var unread: [UInt8] = []
    /// The other side has ended the connection, in good order or not.
    private(set) var hasEnded = false

    /// A connection without encryption.
    init(plainly socket: TCPSocket) {
        self.socket = socket
        tls = nil
    }

    /// An end of a TLS connection.
    init(_ socket: TCPSocket, _ context: TLSContext) throws {
        self.socket = socket
        tls = try TLSConnection(context)
        flush()
    }

    /// A connection to a host, which takes any key of it.
    convenience init(to port: UInt16) throws {
        try self.init(try TCPSocket.connected(to: port), .guest())
    }

    /// A connection to a host from 127.0.0.`source`.
    convenience init(to port: UInt16, from source: UInt8) throws {
        try self.init(try TCPSocket.connected(to: port, from: source), .guest())
    }

    /// What only the two ends of the connection have; nil without TLS, or before it stands.
    var exportedKey: [UInt8]? { try? tls?.exportedKey() }

    /// A connection to a host without encryption.
    convenience init(plainlyTo port: UInt16) throws {
        self.init(plainly: try TCPSocket.connected(to: port))
    }

    /// Sends all of `bytes`. False when the other side would not take them.
    @discardableResult
    func send(_ bytes: [UInt8], within limit: Duration = Deadline.generous) async throws -> Bool {
        var rest = bytes[...]
        try await eventually("the other side to take bytes", within: limit, every: pause) {
            rest = rest.dropFirst(push(Array(rest)))
            return (rest.isEmpty && flush()) || hasEnded
        }
        return rest.isEmpty && !hasEnded
    }

    /// Sends a frame or nothing; says whether it has.
    func sent(_ frame: [UInt8]) -> Bool {
        if tls != nil { readWhatIsThere() }
        guard tls?.isEstablished ?? true, !hasEnded else { return false }
        return push(frame) == frame.count && flush()
    }

    /// The next packet, where it is here already.
    func receivedAlready() throws -> Message? {
        readWhatIsThere()
        return try takeFrame().map { try JSONDecoder().decode(Message.self, from: Data($0)) }
    }

    /// Sends as much of `bytes` as the kernel takes now.
    func sendWhatFits(_ bytes: [UInt8]) {
        _ = push(bytes)
    }

    /// Hands over what is taken now, and returns how much of `bytes` that was.
    private func push(_ bytes: [UInt8]) -> Int {
        guard let tls else { return give(bytes) }
        if !tls.isEstablished { readWhatIsThere() }
        var pushed = 0
        while !hasEnded, flush(), tls.isEstablished, pushed < bytes.count {
            pushed += (try? bytes[pushed...].withUnsafeBytes { try tls.send($0) }) ?? 0
        }
        return pushed
    }

    /// Whether nothing waits for the kernel.
    @discardableResult
    private func flush() -> Bool {
        tls?.flush { give(Array($0)) } ?? true
    }

    private func give(_ bytes: [UInt8]) -> Int {
        var given = 0
        while given < bytes.count {
            guard let count = socket.send(bytes[given...]) else {
                hasEnded = true
                break
            }
            if count == 0 { break }
            given += count
        }
        return given
    }

    func send(_ frames: [[UInt8]]) async throws {
        try await send(Array(frames.joined()))
    }

    /// The next packet that comes.
    func receive(within limit: Duration = Deadline.generous) async throws -> Message {
        let payload = try await eventualValue("a packet", within: limit, every: pause) {
            readWhatIsThere()
            if let payload = takeFrame() { return payload }
            guard hasEnded else { return nil }
            throw WaitFailed(what: "a packet", reason: "the connection has ended", seen: "nothing")
        }
        return try JSONDecoder().decode(Message.self, from: Data(payload))
    }

    /// The next packet of type `type`; others are passed over.
    func receive(_ type: String, within limit: Duration = Deadline.generous) async throws -> Message
    {
        while true {
            let message = try await receive(within: limit)
            if message.type == type { return message }
        }
    }

    /// Waits until the other side has ended the connection; what it sent before is passed over.
    func waitForEnd(within limit: Duration = Deadline.generous) async throws {
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

    /// Whether no plaintext has come.
    var hasHeardNothing: Bool { unread.isEmpty }

    private let pause = Duration.milliseconds(5)

    private func readWhatIsThere() {
        while !hasEnded {
            switch socket.receive() {
            case .bytes(let bytes): take(bytes)
            case .nothing: return
            case .end: hasEnded = true
            }
        }
    }

    private func take(_ bytes: [UInt8]) {
        guard let tls else { return unread += bytes }
        do {
            try bytes.withUnsafeBytes {
                try tls.receive($0) {
                    unread += $0
                    return true
                }
            }
        } catch {
            hasEnded = true
        }
        flush()
    }

    private func takeFrame() -> [UInt8]? {
        guard unread.count >= 4 else { return nil }
        let length = unread[..<4].reduce(0) { $0 << 8 | Int($1) }
        guard unread.count >= 4 + length else { return nil }
        defer { unread.removeFirst(4 + length) }
        return Array(unread[4..<(4 + length)])
    }
}
