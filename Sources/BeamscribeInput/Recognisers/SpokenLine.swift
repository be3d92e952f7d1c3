import BeamscribeCore

/// A line of WhisperLiveKit's list, as far as it is known to the readers of the events.
///
/// A line grows for as long as nobody else speaks, so its sentences are captions of their own: each
/// is final as soon as something follows it. Their ids stay the same however the line changes.
struct SpokenLine {
    private static let longestSentence = 240
    private static let ends: Set<Character> = [".", "?", "!", "…", "。", "？", "！"]

    let number: Int
    private(set) var start: Double?
    private var finals: [Caption] = []

    init(number: Int) {
        self.number = number
    }

    /// Takes the line's newest state.
    ///
    /// - Parameters:
    ///   - buffer: what follows its text that may still change.
    ///   - isOpen: the line may still grow.
    mutating func update(
        _ line: WhisperLiveKitMessage.Line, buffer: String, isOpen: Bool,
        into output: inout CaptionOutput
    ) {
        start = line.start?.seconds ?? start
        guard !line.isSilence else { return }
        var sentences = Self.sentences(of: line.text ?? "")
        let last = isOpen ? sentences.popLast() ?? "" : ""
        for (index, sentence) in sentences.enumerated() {
            var caption = caption(sentence, index, of: line)
            if index == sentences.count - 1, !isOpen { caption.end = line.end?.seconds }
            settle(caption, index, into: &output)
        }
        guard isOpen else { return }
        guard sentences.count >= finals.count else {
            // The line has become shorter: what is open now was final already.
            if !last.isEmpty {
                settle(caption(last, sentences.count, of: line), sentences.count, into: &output)
            }
            return
        }
        // A space between, unless the writing has none.
        let space = last.isEmpty || buffer.first == " " ? "" : " "
        let text = buffer.isEmpty ? last : last + space + buffer
        output.partial(caption(text, sentences.count, of: line))
    }

    private mutating func settle(
        _ caption: Caption, _ index: Int, into output: inout CaptionOutput
    ) {
        guard index < finals.count else {
            finals.append(caption)
            return output.final(caption)
        }
        let old = finals[index]
        guard old.text != caption.text || old.speaker != caption.speaker else { return }
        finals[index] = caption
        output.correction(caption)
    }

    private func caption(
        _ text: String, _ index: Int, of line: WhisperLiveKitMessage.Line
    ) -> Caption {
        Caption(
            text: text, line: "\(number).\(index + 1)", speaker: line.speakerLabel,
            lang: line.language, start: index == 0 ? start : nil)
    }

    /// The sentences of `text`, or pieces of it where one is too long. More text behind it changes
    /// none but the last.
    static func sentences(of text: String) -> [String] {
        var sentences: [String] = []
        var sentence = ""
        var hasEnded = false
        for character in text {
            if hasEnded, !ends.contains(character), character != "\"", character != "”" {
                sentences.append(sentence)
                sentence = ""
            }
            let isLong = sentence.utf8.count > longestSentence && character == " "
            if isLong || sentence.utf8.count > Limits.lineBytes / 2 {
                sentences.append(sentence)
                sentence = ""
            }
            if !sentence.isEmpty || character != " " { sentence.append(character) }
            hasEnded = isEnd(sentence, character)
        }
        return sentence.isEmpty ? sentences : sentences + [sentence]
    }

    /// A point within a number ends nothing, and neither does one behind a single letter.
    private static func isEnd(_ sentence: String, _ last: Character) -> Bool {
        guard ends.contains(last) else { return false }
        guard last == ".", let before = sentence.dropLast().last else { return true }
        return !before.isNumber && !before.isUppercase
    }
}
