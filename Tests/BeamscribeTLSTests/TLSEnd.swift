import BeamscribeTLS

/// One end of a ``TLSPair``, with what it has heard and the wire that leads from it.
final class TLSEnd {
    let connection: TLSConnection
    /// The plaintext that came.
    private(set) var heard: [UInt8] = []
    /// Why it takes nothing any more.
    private(set) var error: TLSError?
    /// All that it put on the wire.
    private(set) var sent: [UInt8] = []
    /// A byte on the wire, by its place in all that was sent, and which of its bits is changed.
    var flips: (place: Int, bit: UInt8)?
    private var delivered = 0

    init(_ connection: TLSConnection) {
        self.connection = connection
    }

    /// Puts at most so many bytes on the wire, and answers how many.
    func flush(atMost limit: Int) -> Int {
        let before = sent.count
        var isFull = false
        _ = connection.flush { bytes in
            let taken = isFull ? 0 : min(bytes.count, limit - (sent.count - before))
            isFull = taken < bytes.count
            sent += bytes.prefix(taken)
            return taken
        }
        return sent.count - before
    }

    func takeFromWire(atMost limit: Int) -> [UInt8] {
        var bytes = sent[delivered...].prefix(limit)
        delivered += bytes.count
        if let flips, bytes.indices.contains(flips.place) { bytes[flips.place] ^= flips.bit }
        return Array(bytes)
    }

    /// Takes bytes from the other end, unless it has had enough.
    func receive(_ bytes: [UInt8]) {
        guard error == nil else { return }
        do throws(TLSError) {
            try bytes.span.withUnsafeBytes { raw throws(TLSError) in
                try connection.receive(raw) {
                    heard += $0
                    return true
                }
            }
        } catch {
            self.error = error
        }
    }

    /// Hands over as much as is taken now.
    func send(_ bytes: [UInt8]) -> Int {
        do throws(TLSError) {
            return try bytes.span.withUnsafeBytes { raw throws(TLSError) in try connection.send(raw)
            }
        } catch {
            self.error = error
            return 0
        }
    }
}
