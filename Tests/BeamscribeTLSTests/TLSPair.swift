import BeamscribeCore
import BeamscribeTLS

/// Two ends of a connection, and a transport between them that tests have in their hands.
final class TLSPair {
    let host: TLSEnd
    let guest: TLSEnd
    /// How many bytes the transport takes at once. Asked each time.
    var room: () -> Int = { .max }
    /// How many bytes come out of the transport at once. Asked each time.
    var piece: () -> Int = { .max }

    init(_ host: TLSContext, _ guest: TLSContext) throws {
        self.host = TLSEnd(try TLSConnection(host))
        self.guest = TLSEnd(try TLSConnection(guest))
    }

    /// A pair whose handshake is done.
    static func established(_ host: TLSContext, _ guest: TLSContext) throws -> TLSPair {
        let pair = try TLSPair(host, guest)
        pair.settle()
        return pair
    }

    var isEstablished: Bool {
        host.connection.isEstablished && guest.connection.isEstablished
    }

    /// Carries bytes between the two until nothing moves.
    func settle() {
        while true {
            let gone = guest.flush(atMost: room()) + host.flush(atMost: room())
            let come = deliver(from: guest, to: host) + deliver(from: host, to: guest)
            if gone + come == 0 { return }
        }
    }

    private func deliver(from sender: TLSEnd, to receiver: TLSEnd) -> Int {
        let bytes = sender.takeFromWire(atMost: max(1, piece()))
        receiver.receive(bytes)
        return bytes.count
    }

    /// Sends all of `bytes`, as far as the connection stands.
    func send(_ bytes: [UInt8], from end: TLSEnd) {
        var rest = bytes[...]
        while !rest.isEmpty, end.error == nil {
            let taken = end.send(Array(rest))
            rest = rest.dropFirst(taken)
            settle()
            if taken == 0, !end.connection.isEstablished { return }
        }
    }
}
