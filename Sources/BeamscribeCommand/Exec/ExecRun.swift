/// Something that the command of `--exec` is run for.
struct ExecRun: Equatable, Sendable {
    /// What the command gets on its standard input.
    var input: String
    /// What it finds in its environment; nil for a variable that is not to be there.
    var variables: [String: String?]
    /// What it is about, as in "line 12".
    var subject: String
}
