import BeamscribeCore

/// Why the page cannot be served.
public enum WebError: Error, Equatable, CustomStringConvertible {
    case portTaken(UInt16)
    case cannotListen(String)
    case badCertificate(String)

    public var description: String {
        switch self {
        case .portTaken(let port): "cannot serve the page on port \(port): another program has it"
        case .cannotListen(let why): "cannot serve the page: \(why)"
        case .badCertificate(let why): "cannot serve the page by HTTPS: \(why)"
        }
    }
}
