import BeamscribeIO
import BeamscribeTLS

/// The other end of a connection with TLS, played by a test.
final class HandTLS {
    let connection: TLSConnection
    private let stream: HandStream
    private var taken = 0
    /// What came through it.
    private(set) var heard: [UInt8] = []

    init(_ context: TLSContext, over stream: HandStream) throws {
        connection = try TLSConnection(context)
        self.stream = stream
    }

    /// Goes on until both ends have nothing more to say.
    func talk() throws {
        repeat {
            let bytes = Array(stream.sent.dropFirst(taken))
            taken += bytes.count
            try bytes.withUnsafeBytes {
                try connection.receive($0) {
                    heard += $0
                    return true
                }
            }
            stream.ready(.write)
            try say()
        } while stream.sent.count > taken
    }

    /// Puts on the wire what is to go there.
    func say(atMost limit: Int = .max) throws {
        var bytes: [UInt8] = []
        _ = connection.flush {
            bytes += $0
            return $0.count
        }
        if !bytes.isEmpty { stream.receive(Array(bytes.prefix(limit))) }
    }
}
