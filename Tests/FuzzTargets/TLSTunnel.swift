import BeamscribeTLS

/// A TLS connection whose two ends are in the hands of a property, as is what lies between them.
///
/// Invariant: what came through in a direction is the beginning of what was sent in it.
final class TLSTunnel {
    /// What goes over the wire in one direction, as it was sent and as it came.
    struct Way {
        var sent: [UInt8] = []
        var came = 0
    }

    let host: TLSConnection
    let guest: TLSConnection
    private let contexts: TLSContexts
    private var up = Way()
    private var down = Way()

    init() throws(BrokenProperty) {
        do throws(TLSError) {
            contexts = try .borrow()
            host = try TLSConnection(contexts.host)
            guest = try TLSConnection(contexts.guest)
        } catch {
            throw BrokenProperty("no TLS: \(error)")
        }
    }

    deinit {
        contexts.giveBack()
    }

    /// A tunnel whose handshake is done.
    static func established() throws(BrokenProperty) -> TLSTunnel {
        let made = try TLSTunnel()
        for _ in 0..<2 {
            _ = try made.give(made.output(of: made.guest), to: made.host)
            _ = try made.give(made.output(of: made.host), to: made.guest)
        }
        try expect(made.host.isEstablished && made.guest.isEstablished, "no handshake")
        return made
    }

    // MARK: On the wire

    /// What an end has for the wire, at most `limit` bytes of it.
    func output(of end: TLSConnection, atMost limit: Int = .max) -> [UInt8] {
        var output: [UInt8] = []
        _ = end.flush { bytes in
            let taken = bytes.prefix(limit - output.count)
            output += taken
            return taken.count
        }
        return output
    }

    /// Gives an end what comes from the wire.
    ///
    /// - Returns: the pieces of plaintext in it, and why the connection is over.
    func take(_ bytes: [UInt8], to end: TLSConnection) -> (pieces: [[UInt8]], TLSError?) {
        var pieces: [[UInt8]] = []
        do throws(TLSError) {
            try bytes.span.withUnsafeBytes { raw throws(TLSError) in
                try end.receive(raw) {
                    pieces.append(Array($0))
                    return true
                }
            }
            return (pieces, nil)
        } catch {
            return (pieces, error)
        }
    }

    private func give(
        _ bytes: [UInt8], to end: TLSConnection
    ) throws(BrokenProperty) -> [[UInt8]] {
        let (pieces, error) = take(bytes, to: end)
        if let error { throw BrokenProperty("nobody has changed anything, and TLS says \(error)") }
        try note(pieces, at: end)
        return pieces
    }

    /// Holds what came out at an end against what was put in at the other.
    func note(_ pieces: [[UInt8]], at end: TLSConnection) throws(BrokenProperty) {
        var way = end === host ? up : down
        for piece in pieces {
            let due = way.sent.dropFirst(way.came).prefix(piece.count)
            try expect(due.elementsEqual(piece), "plaintext that nobody sent: \(piece)")
            way.came += piece.count
        }
        if end === host { up = way } else { down = way }
    }

    // MARK: Through it

    /// Puts in as much as one record of `bytes` takes.
    func put(_ bytes: [UInt8], at end: TLSConnection) throws(BrokenProperty) -> Int {
        let taken: Int
        do throws(TLSError) {
            taken = try bytes.span.withUnsafeBytes { raw throws(TLSError) in try end.send(raw) }
        } catch {
            throw BrokenProperty("cannot send: \(error)")
        }
        try expect(taken <= min(bytes.count, TLSConnection.recordBytes), "took \(taken) bytes")
        try expect(end.isEstablished || taken == 0, "sends before the handshake is done")
        if end === host { down.sent += bytes.prefix(taken) } else { up.sent += bytes.prefix(taken) }
        return taken
    }

    /// Carries all of `bytes` from one end to the other.
    ///
    /// - Returns: the pieces in which they come.
    func carry(_ bytes: [UInt8], from end: TLSConnection) throws(BrokenProperty) -> [[UInt8]] {
        let other = end === host ? guest : host
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let taken = try put(Array(rest), at: end)
            try expect(taken > 0, "takes nothing, and nothing waits")
            rest = rest.dropFirst(taken)
            pieces += try give(output(of: end), to: other)
        }
        try expect(pieces.reduce(0) { $0 + $1.count } == bytes.count, "some did not come through")
        return pieces
    }

    /// Carries what one end has waiting, at most `room` bytes on the wire.
    func flush(_ end: TLSConnection, _ room: inout Int) throws(BrokenProperty) -> [[UInt8]] {
        let wire = output(of: end, atMost: room)
        room -= wire.count
        return try give(wire, to: end === host ? guest : host)
    }
}
