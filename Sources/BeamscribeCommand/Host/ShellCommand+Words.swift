import BeamscribeIO

extension ShellCommand.Outcome {
    /// What became of a program, behind its name.
    var words: String {
        switch self {
        case .exited(0): "has ended"
        // So a shell tells of what it has run.
        case .exited(let code) where code > 128: "was ended by signal \(code - 128)"
        case .exited(let code): "has ended with status \(code)"
        case .signalled(let signal): "was ended by signal \(signal)"
        case .timedOut: "took too long"
        case .cannotStart(let error): "cannot be started: \(error)"
        }
    }
}
