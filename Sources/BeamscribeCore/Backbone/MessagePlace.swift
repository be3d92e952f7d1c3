/// The place of a message in its stream, from the subject of its acknowledgement (NATS ADR-15).
///
///     $JS.ACK.PLACE
///     $JS.ACK.<domain>.<account>.PLACE[.<token>]
///     PLACE: <stream>.<consumer>.<delivered>.<number>.<consumer's number>.<time>.<waiting>
package struct MessagePlace: Equatable, Sendable {
    /// The number in the stream, from 1.
    package let number: Int
    /// The number among the messages that its consumer was sent, from 1. A gap shows that one is
    /// lost.
    package let order: Int
    /// Whether no message waits behind it.
    package let isLast: Bool

    /// - Returns: nil for another subject, or a number that no message can have.
    package init?(reply: String) {
        let parts = reply.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.starts(with: ["$JS", "ACK"]),
            parts.count == 9 || (11...12).contains(parts.count)
        else { return nil }
        let first = parts.count == 9 ? 5 : 7
        guard let number = Int(bounded: parts[first]), (1...Limits.lineNumber).contains(number),
            let order = Int(bounded: parts[first + 1]), (1...Limits.lineNumber).contains(order)
        else { return nil }
        (self.number, self.order, isLast) = (number, order, parts[first + 3] == "0")
    }
}
