/// One of a program's two output streams.
public enum ProgramStream: String, Sendable {
    case standardOutput = "standard output"
    case standardError = "standard error"

    var path: any WritableKeyPath<ProgramOutput, CollectedText> & Sendable {
        switch self {
        case .standardOutput: \.standardOutput
        case .standardError: \.standardError
        }
    }
}
