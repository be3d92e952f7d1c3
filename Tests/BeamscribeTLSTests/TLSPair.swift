import BeamscribeTLS

/// Two ends of a connection, and a transport between them that tests have in their hands.
final class TLSPair {
    let host: TLSConnection
    let guest: TLSConnection
    private(set) var heardByHost: [UInt8] = []
    private(set) var heardByGuest: [UInt8] = []
    /// All that went over the transport.
    private(set) var captured: [UInt8] = []
    /// The most that the transport takes at once.
    var pieceBytes = Int.max

    init(host: TLSContext, guest: TLSContext) throws {
        self.host = try TLSConnection(host)
        self.guest = try TLSConnection(guest)
    }

    /// Carries bytes between the two until nothing moves.
    func settle() throws {
        var isMoving = true
        while isMoving {
            let toHost = Self.output(of: guest, atMost: pieceBytes)
            let toGuest = Self.output(of: host, atMost: pieceBytes)
            captured += toHost + toGuest
            isMoving = !toHost.isEmpty || !toGuest.isEmpty
            try toHost.withUnsafeBytes {
                try host.receive($0) {
                    heardByHost += $0; return true
                }
            }
            try toGuest.withUnsafeBytes {
                try guest.receive($0) {
                    heardByGuest += $0; return true
                }
            }
        }
    }

    /// What one end has to send, `atMost` bytes of it.
    static func output(of end: TLSConnection, atMost limit: Int = .max) -> [UInt8] {
        var output: [UInt8] = []
        _ = end.flush { bytes in
            let taken = bytes.prefix(limit - output.count)
            output += taken
            return taken.count
        }
        return output
    }

    /// Sends all of `bytes` from one end to the other.
    func send(_ bytes: [UInt8], from end: TLSConnection) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let taken = try Array(rest).withUnsafeBytes { try end.send($0) }
            rest = rest.dropFirst(taken)
            try settle()
        }
    }
}
