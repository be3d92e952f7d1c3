import BeamscribeCore

/// The marks that whisper.cpp puts into a segment's text: `(speaker 1)` at its beginning, with
/// colours before each word, and `[SPEAKER_TURN]` at its end where somebody else goes on.
struct WhisperText {
    private static let turnMark = "[SPEAKER_TURN]"
    private static let speakerMark = "(speaker "

    private var isNewSpeaker = false

    /// The caption that a segment makes. A new speaker without a name is marked as captioners do it.
    mutating func caption(_ text: String, start: Double?, end: Double?) -> Caption {
        var text = text
        let speaker = Self.takeSpeaker(from: &text)
        if isNewSpeaker, speaker == nil { text = ">> " + LineText.trimmed(text[...], start: true) }
        isNewSpeaker = Self.removeTurns(from: &text)
        return Caption(text: text, speaker: speaker, start: start, end: end)
    }

    /// The same without taking note of it: the segment may still change.
    func preview(_ text: String) -> Caption {
        var copy = self
        return copy.caption(text, start: nil, end: nil)
    }

    private static func takeSpeaker(from text: inout String) -> String? {
        let begin = LineText.trimmed(text[...], start: true)
        guard begin.hasPrefix(speakerMark), let end = begin.firstIndex(of: ")") else { return nil }
        let mark = begin[...end]
        let id = mark.dropFirst(speakerMark.count).dropLast()
        guard id == "?" || Int(bounded: id) != nil else { return nil }
        text = text.replacing(mark, with: "")
        return Int(bounded: id).map { SpeakerLabel.numbered($0) }
    }

    /// Whether somebody else goes on behind the segment.
    private static func removeTurns(from text: inout String) -> Bool {
        guard text.contains(turnMark) else { return false }
        var words = LineText.trimmed(text[...], start: true)
        let ends = words.hasSuffix(turnMark)
        while words.hasSuffix(turnMark) {
            words = LineText.trimmed(words.dropLast(turnMark.count), start: true)
        }
        // Between two segments of one line the mark that readers know says the same.
        text = String(words.replacing(turnMark, with: ">>"))
        return ends
    }
}
