import BeamscribeCore
import Foundation
import Testing

@testable import BeamscribeIO

@Suite struct SocketTests {
    @Test(arguments: ["127.0.0.1", "::1"])
    func bytes_arrive_atTheListener(address: String) throws {
        let loop = try EventLoop()
        let listener = try Listener(
            at: Endpoint(#require(IPAddress(address)), port: 0), on: loop)
        #expect(listener.endpoint.port != 0)
        var dialled: Destination?
        let dialer = Dialer(
            [.network(listener.endpoint)], timeout: .seconds(5), over: SystemNetwork(on: loop),
            connected: { socket, endpoint in
                _ = try? socket.send(Array("hello".utf8))
                dialled = endpoint
            }, failed: { Issue.record("\($0)") })
        var received: [UInt8] = []
        var stream: (any ByteStream)?
        try listener.watch {
            stream = (try? listener.accept())?.stream
            try? stream?.watch(for: .read) { _ in
                received = stream.map(Self.bytes) ?? []
                loop.stop()
            }
        }
        run(loop)
        #expect(received == Array("hello".utf8))
        #expect(dialled == .network(listener.endpoint))
        withExtendedLifetime(dialer) {}
    }

    private static func bytes(from stream: any ByteStream) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 64)
        let transfer = try? buffer.withUnsafeMutableBytes { try stream.receive(into: $0) }
        guard case .bytes(let count)? = transfer else { return [] }
        return Array(buffer.prefix(count))
    }

    @Test func dialer_takesTheAddressThatAnswers() throws {
        let loop = try EventLoop()
        let listener = try listener(on: loop)
        let closed = try freePort()
        var winner: Destination?
        let dialer = Dialer(
            [.network(closed), .network(listener.endpoint)], timeout: .seconds(5),
            over: SystemNetwork(on: loop),
            connected: { _, endpoint in
                winner = endpoint
                loop.stop()
            }, failed: { _ in loop.stop() })
        run(loop)
        #expect(winner == .network(listener.endpoint))
        withExtendedLifetime(dialer) {}
    }

    @Test func dialer_saysWhy_whenNobodyAnswers() throws {
        let loop = try EventLoop()
        var reason = ""
        let dialer = Dialer(
            [.network(try freePort())], timeout: .seconds(5), over: SystemNetwork(on: loop),
            connected: { _, _ in loop.stop() },
            failed: {
                reason = $0.why
                loop.stop()
            })
        run(loop)
        #expect(reason.contains("Connection refused"))
        withExtendedLifetime(dialer) {}
    }

    /// A pair of local sockets that keep packets apart, as channels over Bluetooth do.
    @Test func bytes_arriveInOrder_inPacketsOfTheChannelsSize() throws {
        var numbers: [Int32] = [-1, -1]
        let type =
            Int32(clamping: SOCK_SEQPACKET.rawValue) | Int32(clamping: SOCK_NONBLOCK.rawValue)
        #expect(socketpair(AF_UNIX, type, 0, &numbers) == 0)
        let loop = try EventLoop()
        let sender = Socket(Descriptor(owning: numbers[0]), segmentBytes: 100, on: loop)
        let receiver = Socket(Descriptor(owning: numbers[1]), segmentBytes: 100, on: loop)
        let bytes = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        var (sent, received) = (0, [UInt8]())
        var buffer = [UInt8](repeating: 0, count: 65_535)
        while received.count < bytes.count {
            if case .bytes(let count) = try sender.send(Array(bytes[sent...])) { sent += count }
            let transfer = try buffer.withUnsafeMutableBytes { try receiver.receive(into: $0) }
            guard case .bytes(let count) = transfer else { continue }
            #expect(count == 100)
            received += buffer.prefix(count)
        }
        #expect(received == bytes)
        sender.finishSending()
        let next = try buffer.withUnsafeMutableBytes { try receiver.receive(into: $0) }
        #expect(next == .wouldBlock, "A channel has no end but a mark in the stream.")
        withExtendedLifetime(sender) {}
    }

    @Test func listener_saysThatThePortIsTaken() throws {
        let loop = try EventLoop()
        let listener = try listener(on: loop)
        do throws(SystemError) {
            _ = try Listener(at: listener.endpoint, on: loop)
            Issue.record("two listeners on one port")
        } catch {
            #expect(error.isAddressInUse)
            #expect("\(error)" == "cannot listen on \(listener.endpoint): Address already in use")
        }
    }

    @Test func address_isTheSame_afterItsText() throws {
        for text in ["192.0.2.7", "::1", "2001:db8::7", "fe80::1%lo"] {
            #expect(try #require(IPAddress(text)).description == text)
        }
        for text in ["", "1.2.3", "300.1.1.1", "::1%", "x", "1.2.3.4%lo", "fe80::1%nosuchdevice"] {
            #expect(IPAddress(text) == nil || text == "::1%")
        }
        let address = try #require(IPAddress("2001:db8::7"))
        #expect("\(Endpoint(address, port: 80))" == "[2001:db8::7]:80")
    }

    /// An endpoint where nobody listens (any more).
    private func freePort() throws -> Endpoint { try listener(on: EventLoop()).endpoint }

    private func listener(on loop: EventLoop) throws -> Listener {
        try Listener(at: Endpoint(#require(IPAddress("127.0.0.1")), port: 0), on: loop)
    }

    private func run(_ loop: EventLoop) {
        loop.schedule(after: .seconds(10)) { loop.stop() }
        loop.run()
    }
}
