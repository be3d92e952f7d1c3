import BeamscribeCore

/// What `whisper-cli` and openai-whisper print: a line a segment, each with its times.
///
///     [00:00:00.000 --> 00:00:02.000]   Good morning.
///     [00:00:02.000 --> 00:00:04.500]  (speaker 1) Second sentence.
struct WhisperGrammar: LineGrammar {
    private var turns = WhisperText()
    private var hasBegun = false

    /// What openai-whisper says before the first segment.
    static let headers = ["Detecting language", "Detected language"]

    mutating func take(_ line: InputLine, into output: inout CaptionOutput) {
        if let timed = TimedLine(line.text) {
            hasBegun = true
            output.final(turns.caption(timed.text, start: timed.start, end: timed.end))
        } else if line.text.hasPrefix("[0") || line.text.contains(" --> ") {
            output.warn(line: line.number, "its times are damaged")
        } else if !line.isBlank, hasBegun || !Self.headers.contains(where: line.text.hasPrefix) {
            output.final(turns.caption(line.text, start: nil, end: nil))
        }
    }
}
