import BeamscribeCore

/// WebVTT subtitles (W3C, WebVTT: The Web Video Text Tracks Format): cues with or without a name,
/// among notes, style sheets and regions, which are passed over.
struct WebVTTGrammar: LineGrammar {
    private static let otherBlocks = ["NOTE", "STYLE", "REGION", "WEBVTT"]

    private var cues = CueReader()
    /// The block is none of a cue's.
    private var isPassingOver = false

    mutating func take(_ line: InputLine, into output: inout CaptionOutput) {
        if line.isBlank {
            cues.end(into: &output)
            isPassingOver = false
        } else if isPassingOver {
            return
        } else if let times = CueTimes(arrow: line.text) {
            cues.begin(times, into: &output)
        } else if cues.isInCue {
            cues.add(line.text, into: &output)
        } else {
            isPassingOver = Self.otherBlocks.contains { Self.begins(line.text, with: $0) }
        }
    }

    mutating func finish(into output: inout CaptionOutput) {
        cues.end(into: &output)
    }

    private static func begins(_ line: String, with word: String) -> Bool {
        line.hasPrefix(word) && (line.dropFirst(word.count).first?.isWhitespace ?? true)
    }
}
