/// How a correction is marked where it cannot stand in the place of what it corrects.
public enum CorrectionMark {
    /// `(correction to line 12) `
    public static func words(_ seq: Int) -> String { "(correction to line \(seq)) " }

    /// `(line 12 is withdrawn)`
    public static func withdrawal(_ seq: Int) -> String { "(line \(seq) is withdrawn)" }
}

extension TranscriptLine {
    /// This line with the mark of a correction of line `seq` before its speaker and its words; for
    /// a format that has a place of its own for speakers, before its words.
    func marked(correcting seq: Int, keepsSpeaker: Bool) -> TranscriptLine {
        var line = self
        guard !text.isEmpty else {
            (line.text, line.speaker) = (CorrectionMark.withdrawal(seq), nil)
            return line
        }
        if !keepsSpeaker {
            line.text = spokenText
            line.speaker = nil
        }
        line.text = CorrectionMark.words(seq) + line.text
        return line
    }
}
