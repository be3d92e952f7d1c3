import BeamscribeCore

/// YouTube's subtitles (.sbv): times with a comma between them, rows of text, a blank line.
struct SubViewerGrammar: LineGrammar {
    private var cues = CueReader()

    mutating func take(_ line: InputLine, into output: inout CaptionOutput) {
        if let times = CueTimes(comma: line.text) {
            cues.begin(times, into: &output)
        } else if line.isBlank {
            cues.end(into: &output)
        } else if cues.isInCue {
            cues.add(line.text, into: &output)
        } else {
            output.warn(line: line.number, "it belongs to no cue")
        }
    }

    mutating func finish(into output: inout CaptionOutput) {
        cues.end(into: &output)
    }
}
