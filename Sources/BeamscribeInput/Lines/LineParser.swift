import BeamscribeCore

/// Reads an input whose lines each mean something of their own.
struct LineParser<Grammar: LineGrammar>: InputParser {
    private var lines = LineSplitter()
    private var grammar = Grammar()
    private var output = CaptionOutput()

    mutating func feed(_ bytes: UnsafeRawBufferPointer) -> [InputEvent] {
        for line in lines.feed(bytes) { take(line) }
        return output.take()
    }

    mutating func finish() -> [InputEvent] {
        if let line = lines.finish() { take(line) }
        grammar.finish(into: &output)
        output.closeAll()
        defer { self = LineParser() }
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
