import NIOCore
import NIOHTTPTypes

/// When a browser's connection has said nothing for too long. While the host owes it an answer it
/// need say nothing, and an answer is owed until the kernel has all of it: a phone on a bad network
/// takes what time it takes.
///
/// Invariant: `owed` counts the requests that are complete less the answers that are.
struct IdleWatch {
    private let limit: TimeAmount
    private var last: NIODeadline
    private var owed = 0

    /// - Parameter limit: how long a connection may be idle, or take to say what it wants.
    init(_ limit: TimeAmount, at now: NIODeadline) {
        self.limit = limit
        last = now
    }

    /// When the connection is to be closed if nothing happens; nil while it is the host's turn.
    var end: NIODeadline? { owesAnswer ? nil : last + limit }

    /// Whether it is the host's turn.
    var owesAnswer: Bool { owed > 0 }

    /// A piece of a request has come that can be understood.
    mutating func read(_ part: HTTPRequestPart, at now: NIODeadline) {
        last = now
        if case .end = part { owed += 1 }
    }

    /// The last of an answer is with the kernel.
    mutating func answered(at now: NIODeadline) {
        last = now
        owed -= 1
    }
}
