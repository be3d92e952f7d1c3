import BeamscribeCore

/// What to wait for at a descriptor, a connection say.
public struct Interest: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Something to read, or the end of it.
    public static let read = Interest(rawValue: 1)
    /// Room to write.
    public static let write = Interest(rawValue: 2)
}
