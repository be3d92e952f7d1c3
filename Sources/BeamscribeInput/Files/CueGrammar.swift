import BeamscribeCore

/// The lines of a subtitle file, put together into cues: times, rows of text, a blank line. A cue
/// goes out when it is whole: at the blank line, at the next one's times, or at the input's end.
struct CueGrammar: LineGrammar {
    /// How a file sets its cues off.
    enum Form {
        /// SubRip: a number stands before the times.
        case subRip
        /// YouTube's subtitles (.sbv): times with a comma between them.
        case subViewer
        /// WebVTT (W3C, WebVTT: The Web Video Text Tracks Format): cues with or without a name,
        /// among notes, style sheets and regions, which are passed over.
        case webVTT
    }

    private static let otherBlocks = ["NOTE", "STYLE", "REGION", "WEBVTT"]

    private let form: Form
    private var hasCues = false
    /// The way in which the file's words are escaped, if beamscribe wrote the file; nil before its
    /// mark.
    private var escaping: SubtitleEscaping?
    /// The times of the open cue; nil between cues.
    private var times: CueTimes?
    private var rows: [String] = []
    private var length = 0
    /// The block is none of a cue's.
    private var isPassingOver = false

    var isAmidst: Bool { times != nil }

    init(_ form: Form) {
        self.form = form
    }

    mutating func take(_ line: InputLine, into output: inout CaptionOutput) {
        if line.isBlank {
            finish(into: &output)
            isPassingOver = false
        } else if isPassingOver {
            return
        } else if let next = times(in: line.text) {
            // A last row that holds nothing but a number belongs to the next cue.
            if let last = rows.last, CueTimes.isCounter(last) { rows.removeLast() }
            finish(into: &output)
            if form == .subRip, !hasCues, hasMark(line.text) { escaping = .subRip }
            (times, hasCues) = (next, true)
        } else if let times {
            rows.append(line.text)
            length += line.text.utf8.count
            guard length > 4 * Limits.lineBytes else { return }
            // That is too much for one cue.
            finish(into: &output)
            self.times = times
        } else {
            takeOutside(line, into: &output)
        }
    }

    /// The cue is whole: the captions that its rows make, one a speaker, go out.
    mutating func finish(into output: inout CaptionOutput) {
        for span in CueText.spans(of: rows.joined(separator: " "), escaping: escaping) {
            output.final(
                Caption(
                    text: span.text, speaker: span.speaker, start: times?.start, end: times?.end))
        }
        (times, rows, length) = (nil, [], 0)
    }

    private func times(in line: String) -> CueTimes? {
        form == .subViewer ? CueTimes(comma: line) : CueTimes(arrow: line)
    }

    private func hasMark(_ times: String) -> Bool {
        let end = times.utf8.reversed().prefix { $0 == UInt8(ascii: " ") }
        return end.count == SubtitleEscaping.subRip.mark.utf8.count
    }

    private mutating func takeOutside(_ line: InputLine, into output: inout CaptionOutput) {
        if form == .webVTT {
            if line.text.hasPrefix("WEBVTT") { beginFile() }
            if !hasCues, line.text == SubtitleEscaping.webVTT.mark { escaping = .webVTT }
            isPassingOver = Self.otherBlocks.contains { word in
                line.text.hasPrefix(word)
                    && (line.text.dropFirst(word.count).first?.isWhitespace ?? true)
            }
        } else if form == .subViewer || !CueTimes.isCounter(line.text) {
            output.warn(line: line.number, "it belongs to no cue")
        } else if line.text == "1" {
            beginFile()
        }
    }

    /// Several files may come one behind the other: each has its own mark, or none.
    private mutating func beginFile() {
        (hasCues, escaping) = (false, nil)
    }
}
