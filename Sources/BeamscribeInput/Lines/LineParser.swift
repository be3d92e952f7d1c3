import BeamscribeCore

/// What the lines of one form mean.
protocol LineGrammar: Sendable {
    /// A whole line has come.
    mutating func take(_ line: InputLine, into output: inout CaptionOutput)

    /// The input has ended. What is still shown as a partial becomes final behind this.
    mutating func finish(into output: inout CaptionOutput)

    /// Whether it holds words that were in no event yet.
    var isAmidst: Bool { get }
}

extension LineGrammar {
    mutating func finish(into output: inout CaptionOutput) {}
    var isAmidst: Bool { false }
}

/// Reads an input whose lines each mean something of their own.
struct LineParser<Grammar: LineGrammar>: InputParser {
    private let fresh: Grammar
    private var grammar: Grammar
    private var lines = LineSplitter()
    private var output = CaptionOutput()

    /// - Parameter grammar: one that has read nothing yet.
    init(_ grammar: Grammar) {
        fresh = grammar
        self.grammar = grammar
    }

    var isAmidst: Bool { grammar.isAmidst }

    mutating func feed(_ bytes: UnsafeRawBufferPointer) -> [InputEvent] {
        for line in lines.feed(bytes) { take(line) }
        return output.take()
    }

    mutating func finish() -> [InputEvent] {
        if let line = lines.finish() { take(line) }
        grammar.finish(into: &output)
        output.closeAll()
        defer { self = LineParser(fresh) }
        return output.take()
    }

    private mutating func take(_ line: InputLine) {
        if line.isTooLong {
            output.warn(line: line.number, "it is longer than \(Limits.inputObject) bytes")
        } else {
            grammar.take(line, into: &output)
        }
    }
}
