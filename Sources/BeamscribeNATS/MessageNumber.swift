import BeamscribeCore

extension Int {
    /// Converts the number that a server gives a message in its stream.
    ///
    /// A server can answer with any 64 bits. Message n is line n at most, so no stream of ours is
    /// longer than a log can be.
    ///
    /// - Returns: nil for a number above ``Limits/lineNumber``.
    init?(messageNumber: UInt64) {
        guard messageNumber <= Limits.lineNumber else { return nil }
        self.init(exactly: messageNumber)
    }
}

/// A server gave a number that no message of a stream can have.
struct MessageNumberError: Error, CustomStringConvertible {
    private let number: UInt64

    init(_ number: UInt64) { self.number = number }

    var description: String {
        "the server counts \(number) messages in a stream, which cannot be: look at its version and its disk"
    }
}
