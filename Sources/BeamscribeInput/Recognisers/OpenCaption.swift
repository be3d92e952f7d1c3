import BeamscribeCore

/// A line that is typed, and the lines before it that the typist may go back to.
///
/// Each line has an id, so that one that was final already gets a new wording when it is changed.
/// Invariant: `earlier` has at most eight lines, oldest first, and `text` is the open one's.
struct OpenCaption {
    static let memory = 8

    /// What is written on the open line.
    var text = ""
    private var number = 1
    private var earlier: [(number: Int, text: String)] = []
    /// What readers know the open line by, where it was final once.
    private var known: String?
    private var newest = 1

    private var line: String { "typed-\(number)" }

    /// Takes the last line back, to be changed; false where none is remembered.
    mutating func reopen(into output: inout CaptionOutput) -> Bool {
        guard let last = earlier.popLast() else { return false }
        output.withdraw(line: line)
        number = last.number
        known = last.text
        text = last.text
        return true
    }

    /// Ends the line after `count` bytes of it, or at its end.
    ///
    /// - Returns: whether the line can be taken back.
    @discardableResult
    mutating func end(after count: Int? = nil, into output: inout CaptionOutput) -> Bool {
        let cut = count.map { text.utf8.index(text.startIndex, offsetBy: $0) } ?? text.endIndex
        let words = String(LineText.trimmed(text[..<cut], start: true))
        let rest = String(text[cut...].drop { $0 == " " })
        send(words, into: &output)
        let isRemembered = !words.isEmpty || known != nil
        if isRemembered {
            earlier.append((number, words))
            if earlier.count > Self.memory { earlier.removeFirst() }
            newest += 1
        }
        number = newest
        known = nil
        text = rest
        return isRemembered
    }

    /// Shows the line as it is.
    func show(in output: inout CaptionOutput, _ text: String? = nil) {
        output.partial(Caption(text: text ?? self.text, line: line))
    }

    private func send(_ words: String, into output: inout CaptionOutput) {
        if let known {
            // A line cannot be taken from its readers; that nothing is left of it can be said.
            let wording = words.isEmpty ? "…" : words
            if wording == known { return output.withdraw(line: line) }
            output.correction(Caption(text: wording, line: line))
        } else {
            output.final(Caption(text: words, line: line))
        }
    }
}
