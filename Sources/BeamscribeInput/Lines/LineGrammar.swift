/// What the lines of one form mean.
protocol LineGrammar: Sendable {
    /// Nothing has been read yet.
    init()

    /// A whole line has come.
    mutating func take(_ line: InputLine, into output: inout CaptionOutput)

    /// The input has ended. What is still shown as a partial becomes final behind this.
    mutating func finish(into output: inout CaptionOutput)
}

extension LineGrammar {
    mutating func finish(into output: inout CaptionOutput) {}
}
