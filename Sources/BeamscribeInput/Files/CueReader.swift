import BeamscribeCore

/// Puts the lines of a subtitle file together into cues. A cue goes out when it is whole: at the
/// blank line behind it, at the next one's times, or at the end of the input.
struct CueReader {
    private var cue: Cue?

    /// Whether the next line is a row of a cue, unless it is blank.
    var isInCue: Bool { cue != nil }

    /// The times of the next cue have come.
    mutating func begin(_ times: CueTimes, into output: inout CaptionOutput) {
        cue?.removeCounter()
        end(into: &output)
        cue = Cue(times)
    }

    /// A row of the cue's text has come.
    mutating func add(_ row: String, into output: inout CaptionOutput) {
        guard var open = cue else { return }
        let hasRoom = open.add(row)
        cue = open
        if !hasRoom {
            let times = (open.start, open.end)
            end(into: &output)
            cue = Cue(CueTimes(start: times.0, end: times.1))
        }
    }

    /// The cue is whole.
    mutating func end(into output: inout CaptionOutput) {
        for caption in cue?.captions() ?? [] { output.final(caption) }
        cue = nil
    }
}
