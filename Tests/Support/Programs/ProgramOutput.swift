/// All that is known about a program from outside, at one moment.
public struct ProgramOutput: Sendable {
    public internal(set) var standardOutput = CollectedText()
    public internal(set) var standardError = CollectedText()
    /// How the program ended, nil while it runs.
    public internal(set) var exit: ExitStatus?

    /// A report for error messages.
    var report: String {
        """
        the program \(exit.map { "ended with \($0)" } ?? "still runs")
        -- standard output: \(standardOutput.excerpt)
        -- standard error: \(standardError.excerpt)
        """
    }
}
