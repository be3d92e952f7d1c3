import BeamscribeCore

/// The log of Plover's translations. One that is taken back has an asterisk.
///
///     2026-01-05 10:00:00,123 Translation(('TEFT',) : "test")
///     2026-01-05 10:00:02,481 *Translation(('TEFT',) : "test")
///
/// Translations are put together into a line, which ends with its sentence.
struct PloverGrammar: LineGrammar {
    /// Translations that can be taken back: those of the open line and of the last ones.
    private static let memory = 100
    private static let longestLine = 240

    private var caption = OpenCaption()
    private var open = Line()
    private var earlier: [Line] = []

    private struct Line {
        var translations: [PloverTranslation] = []
        var beginsSentence = true
    }

    mutating func take(_ line: InputLine, into output: inout CaptionOutput) {
        guard line.text.utf8.count <= Limits.lineBytes, let entry = PloverEntry(line.text) else {
            if !line.isBlank, !PloverEntry.isStroke(line.text) {
                output.warn(line: line.number, "it is no entry of Plover's log")
            }
            return
        }
        if entry.isUndo {
            takeBack(entry.translation, into: &output)
        } else {
            open.translations.append(entry.translation)
        }
        caption.text = PloverText.text(of: open.translations, beginsSentence: open.beginsSentence)
        if !entry.isUndo, endsLine(entry.translation) {
            endLine(into: &output)
        } else {
            caption.show(in: &output)
        }
    }

    mutating func finish(into output: inout CaptionOutput) {
        caption.end(into: &output)
    }

    private func endsLine(_ translation: PloverTranslation) -> Bool {
        PloverText.endsSentence(translation) || caption.text.utf8.count > Self.longestLine
            || open.translations.count >= Self.memory
    }

    private mutating func endLine(into output: inout CaptionOutput) {
        if caption.end(into: &output) {
            earlier.append(open)
            if earlier.count > OpenCaption.memory { earlier.removeFirst() }
        }
        let isOver = open.translations.last.map(PloverText.endsSentence) ?? true
        open = Line(beginsSentence: isOver)
    }

    /// Takes the newest translation like `translation` back. Where the open line is empty, the one
    /// before it is opened again.
    private mutating func takeBack(
        _ translation: PloverTranslation, into output: inout CaptionOutput
    ) {
        if open.translations.isEmpty, !earlier.isEmpty, caption.reopen(into: &output) {
            open = earlier.removeLast()
        }
        if let index = open.translations.lastIndex(of: translation) {
            open.translations.remove(at: index)
        }
    }
}
