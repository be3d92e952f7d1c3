import BeamscribeCore

/// What April-ASR's example programs print: a header about the model, then `- good mor` for what may
/// still change and `@ good morning` for what does not.
struct AprilGrammar: LineGrammar {
    private static let complaint = "Can't keep up!"

    mutating func take(_ line: InputLine, into output: inout CaptionOutput) {
        var text = line.text[...]
        // This one has no line end of its own.
        while text.hasPrefix(Self.complaint) {
            text = text.dropFirst(Self.complaint.count).drop { $0 == " " }
        }
        switch text.first {
        case "-": output.partial(Caption(text: String(text.dropFirst())))
        case "@": output.final(Caption(text: String(text.dropFirst())))
        default: break
        }
    }
}
