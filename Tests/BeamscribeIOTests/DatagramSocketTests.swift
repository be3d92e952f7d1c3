import BeamscribeCore
import BeamscribeIO
import TestSupport
import Testing

@Suite struct DatagramSocketTests {
    /// Sends bytes, and gives back what the other side sends.
    private func send(
        _ datagrams: [[UInt8]], by socket: DatagramSocket, to address: DatagramAddress
    ) {
        let bytes = datagrams.flatMap(\.self)
        var ranges: [Range<Int>] = []
        for datagram in datagrams {
            let start = ranges.last?.upperBound ?? 0
            ranges.append(start..<start + datagram.count)
        }
        bytes.withUnsafeBytes { socket.send(datagrams.count, of: $0) { (ranges[$0], address) } }
    }

    private func receive(_ socket: DatagramSocket) -> [([UInt8], DatagramAddress)] {
        var received: [([UInt8], DatagramAddress)] = []
        while socket.receive({ received.append((Array($0), $1)) }) {}
        return received
    }

    @Test(arguments: [IPAddress("127.0.0.1")!, IPAddress("::1")!, .anyIPv6, .anyIPv4])
    func datagrams_goThereAndBack(address: IPAddress) throws {
        let host = try DatagramSocket(at: Endpoint(address, port: 0))
        let there = address.isAny ? (address.isIPv4 ? "127.0.0.1" : "::1") : "\(address)"
        let guest = try DatagramSocket(
            to: Endpoint(try #require(IPAddress(there)), port: host.endpoint.port))
        // More than one call takes.
        let sent = (0..<200).map { [UInt8](repeating: UInt8(clamping: $0), count: 1 + $0) }
        send(sent, by: guest, to: .connected)
        let received = receive(host)
        #expect(received.map(\.0) == sent)
        let addresses = received.map(\.1)
        #expect(addresses.allSatisfy { $0 == addresses[0] })
        #expect(addresses[0].endpoint?.port == guest.endpoint.port)
        send([[1], [2, 3]], by: host, to: addresses[0])
        #expect(receive(guest).map(\.0) == [[1], [2, 3]])
    }

    /// A guest of IPv4 at a socket of both families; and an answer comes from where the question went.
    @Test func answer_comesFromTheAddress_thatWasAsked() throws {
        let host = try DatagramSocket(at: Endpoint(.anyIPv6, port: 0))
        for name in ["127.0.0.1", "127.1.2.3", "127.200.0.9"] {
            let address = try #require(IPAddress(name))
            // A socket that has an other end takes what comes from there alone.
            let guest = try DatagramSocket(to: Endpoint(address, port: host.endpoint.port))
            send([[7]], by: guest, to: .connected)
            let asked = try #require(receive(host).first)
            send([[8]], by: host, to: asked.1)
            #expect(receive(guest).map(\.0) == [[8]], "\(name)")
        }
    }

    @Test func datagram_isLeftOut_whereItIsTooLong() throws {
        let host = try DatagramSocket(at: Endpoint(IPAddress("127.0.0.1")!, port: 0))
        let guest = try DatagramSocket(to: host.endpoint)
        let long = [UInt8](repeating: 1, count: 1_501)
        send([long, Array(long.dropLast()), [3]], by: guest, to: .connected)
        #expect(receive(host).map(\.0.count) == [1_500, 1])
    }

    /// What cannot be sent holds up nothing.
    @Test func others_areSent_whereOneCannotBe() throws {
        let gone = try DatagramSocket(at: Endpoint(IPAddress("127.0.0.1")!, port: 0))
        let guest = try DatagramSocket(to: gone.endpoint)
        send([[1]], by: guest, to: .connected)
        #expect(receive(gone).count == 1)
        let tooLong = [UInt8](repeating: 1, count: 70_000)
        send([[2], tooLong, [3]], by: guest, to: .connected)
        #expect(receive(gone).map(\.0) == [[2], [3]])
    }

    @Test func port_isNotHadTwice() throws {
        let first = try DatagramSocket(at: Endpoint(IPAddress("127.0.0.1")!, port: 0))
        let error = #expect(throws: SystemError.self) { _ = try DatagramSocket(at: first.endpoint) }
        #expect(error?.isAddressInUse == true)
    }
}
