/// What the JSON objects of one form mean.
protocol ObjectGrammar: Sendable {
    /// What is read of an object.
    associatedtype Message: Decodable

    /// Nothing has been read yet.
    init()

    /// An object has come.
    mutating func take(_ message: Message, into output: inout CaptionOutput)

    /// The input has ended. What is still shown as a partial becomes final behind this.
    mutating func finish(into output: inout CaptionOutput)
}

extension ObjectGrammar {
    mutating func finish(into output: inout CaptionOutput) {}
}
