/// A wait that did not end well: what was waited for, why it ended, and what was there instead.
public struct WaitFailed: Error, CustomStringConvertible {
    /// What was waited for, as it reads after "waited for".
    public let what: String
    /// Why the wait ended, such as "10.0 s were over".
    public let reason: String
    /// What was seen instead.
    public let seen: String

    public init(what: String, reason: String, seen: String) {
        self.what = what
        self.reason = reason
        self.seen = seen
    }

    init(what: String, after deadline: Deadline, seen: String) {
        self.init(what: what, reason: "\(deadline.allowed) were over", seen: seen)
    }

    public var description: String {
        "waited for \(what), but \(reason); seen instead: \(seen)"
    }
}
