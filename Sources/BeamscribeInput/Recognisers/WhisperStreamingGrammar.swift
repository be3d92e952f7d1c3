import BeamscribeCore

/// What whisper_streaming prints: words that it will not take back, behind the milliseconds at which
/// it said them, they begin and they end. Its server leaves the first number out.
///
///     4210.3312 0 1980 Good morning
struct WhisperStreamingGrammar: LineGrammar {
    private var last = ""

    mutating func take(_ line: InputLine, into output: inout CaptionOutput) {
        // With its errors in the same pipe each line comes twice, with logs between.
        guard !line.isBlank, !line.text.hasPrefix("##"), line.text != last else { return }
        last = line.text
        guard let words = Self.caption(in: line.text) else {
            return output.warn(line: line.number, "it does not begin with its times")
        }
        output.final(words)
    }

    static func caption(in line: String) -> Caption? {
        var rest = line[...]
        guard let first = number(&rest) else { return nil }
        // Only the time at which the words came out has a fraction.
        guard let begin = first.hasFraction ? number(&rest) : first, !begin.hasFraction,
            let end = number(&rest), !end.hasFraction, end.value >= begin.value
        else { return nil }
        let text = LineText.trimmed(rest, start: true)
        guard !text.isEmpty else { return nil }
        return Caption(text: String(text), start: begin.value / 1_000, end: end.value / 1_000)
    }

    private static func number(_ rest: inout Substring) -> (value: Double, hasFraction: Bool)? {
        let before = rest
        guard let value = ClockTime.takeSeconds(from: &rest), rest.popFirst() == " " else {
            return nil
        }
        return (value, before[..<rest.startIndex].contains("."))
    }
}
