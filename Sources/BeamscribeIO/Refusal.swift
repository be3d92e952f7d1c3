/// Why the program would not use something that the system would let it use.
public struct Refusal: Equatable, Sendable {
    /// What is wrong, as it goes on after a colon: "it is a symbolic link".
    public var reason: String
    /// What to do, as it goes on after a semicolon.
    public var advice: String

    /// A refusal in words.
    public init(_ reason: String, advice: String) {
        self.reason = reason
        self.advice = advice
    }
}
