/// Raw sound that programs read and write: mono, 16 bits a sample, the low byte first.
public enum RawSound: Equatable, Sendable {
    /// Standard input, or standard output.
    case standard
    /// The file at a path, also a named pipe.
    case file(String)

    var path: String? { if case .file(let path) = self { path } else { nil } }

    /// The rates that it may have, in samples a second.
    public static let rates = 8_000...48_000
}
