import BeamscribeCore

/// How a port is chosen.
public enum PortChoice: Equatable, Sendable {
    /// The usual one, or a free one where that is taken.
    case standard
    /// This one or none; 0 for a free one.
    case number(UInt16)
    /// This one, which people may still know, or else as ``standard``.
    case preferred(UInt16)

    /// The ports to try, one after another.
    package func candidates(_ standard: UInt16) -> [UInt16] {
        switch self {
        case .number(let number): [number]
        case .standard: [standard, 0]
        case .preferred(let number): [number, standard, 0]
        }
    }
}
