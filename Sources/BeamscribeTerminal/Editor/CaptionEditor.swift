public import BeamscribeCore

/// Captions as they are typed: keys go in, what is to be done comes out.
///
/// Up goes into the lines that are out already, to correct them; so does a backspace at the start of
/// an empty line, for programs that type as a stenographer writes and take back words that were sent
/// with Enter. A line that was begun before that waits meanwhile.
///
/// Invariant: `text` is at most ``Limits/lineBytes`` long; `draft` is set while a line that is out
/// is being corrected, and only then; `shown` is what readers see of the line that is being typed.
public struct CaptionEditor: Sendable {
    public private(set) var line = EditableText()
    /// The number of the line that is being corrected; nil while a new one is typed.
    public private(set) var correcting: Int?
    /// Those who may speak.
    public private(set) var speakers: SpeakerRing
    /// The lines that can be corrected, the oldest first; to be kept up to date.
    public var lines: [RecentLines.Line] = []

    private var draft: EditableText?
    private var shown = ""

    /// An empty line.
    ///
    /// - Parameter speakers: among whom Tab chooses.
    public init(speakers: [String] = []) {
        self.speakers = SpeakerRing(speakers)
    }

    /// The new line as far as it is typed, also while another is corrected.
    public var openText: String { (draft ?? line).text }

    /// Whether `key` needs ``lines`` to be up to date.
    public func needsLines(for key: Key) -> Bool {
        key == .up || key == .down || (key == .backspace && line.isEmpty && correcting == nil)
    }

    /// Takes a key. What it changes in the line shows in ``partial()``.
    public mutating func handle(_ key: Key) -> EditorAction? {
        switch key {
        case .character(let character): return insert(character)
        case .enter: return enter()
        case .backspace: backspace()
        case .delete: line.delete()
        case .left: line.moveLeft()
        case .right: line.moveRight()
        case .home, .control("a"): line.moveToStart()
        case .end, .control("e"): line.moveToEnd()
        case .control("w"): line.deleteWord()
        case .control("u"): line.deleteToStart()
        case .control("d"):
            if line.isEmpty, correcting == nil { return .end }
            line.delete()
        case .up: correct(before: correcting ?? .max)
        case .down: correctNext()
        case .escape: leave()
        case .tab: speakers.next()
        default: break
        }
        return nil
    }

    /// What readers are to see of the line that is being typed, where that is something else than
    /// before. To be asked once for all keys that came together.
    public mutating func partial() -> EditorAction? {
        let (speaker, spoken) = speakers.split(Self.trimmed(openText))
        let newest = spoken.isEmpty ? "" : "\(speaker ?? "")\u{0}\(spoken)"
        guard newest != shown else { return nil }
        shown = newest
        return .partial(text: spoken, speaker: spoken.isEmpty ? nil : speaker)
    }

    /// Ends the line that is being typed, where it has words.
    public mutating func takeOpen() -> EditorAction? {
        let text = Self.trimmed(openText)
        clear()
        return text.isEmpty ? nil : final(text)
    }

    /// Forgets what was typed; ``partial()`` takes it back from readers.
    public mutating func clear() {
        line = EditableText()
        draft = nil
        correcting = nil
    }

    /// Readers do not see what is being typed any more: ``partial()`` tells them anew.
    public mutating func showAgain() {
        shown = ""
    }

    private mutating func insert(_ character: Character) -> EditorAction? {
        line.insert(character)
        guard correcting == nil else {
            // A correction stays one line: what is too long for it is not taken.
            if line.text.utf8.count > Limits.lineBytes { line.backspace() }
            return nil
        }
        return line.takePiece(bytes: Limits.lineBytes).map { final($0) }
    }

    private mutating func enter() -> EditorAction? {
        let text = Self.trimmed(line.text)
        guard let seq = correcting else {
            line = EditableText()
            return text.isEmpty ? nil : final(text)
        }
        let old = lines.first { $0.seq == seq }
        leave()
        guard !text.isEmpty, old?.spokenText != text else { return nil }
        // The line is edited as it is read, so that the name before the colon is the speaker still.
        guard let speaker = old?.speaker, text.hasPrefix("\(speaker): ") else {
            let spoken = speakers.split(text)
            let isNamed = spoken.text != text
            return .correction(seq: seq, text: spoken.text, speaker: isNamed ? spoken.speaker : nil)
        }
        let words = String(text.dropFirst(speaker.count + 2))
        return words.contains { !$0.isWhitespace }
            ? .correction(seq: seq, text: words, speaker: speaker) : nil
    }

    /// Without the blanks at its end, which nobody sees.
    private static func trimmed(_ text: String) -> String {
        guard let last = text.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(text[...last])
    }

    private mutating func final(_ text: String) -> EditorAction {
        let (speaker, words) = speakers.split(Self.trimmed(text))
        if let speaker { speakers.note(speaker) }
        shown = ""
        return .final(text: words, speaker: speaker)
    }

    private mutating func backspace() {
        if line.isEmpty, correcting == nil { return correct(before: .max) }
        line.backspace()
    }

    // MARK: Corrections

    private mutating func correct(before seq: Int) {
        guard let line = lines.last(where: { $0.seq < seq }) else { return }
        correct(line)
    }

    private mutating func correctNext() {
        guard let seq = correcting else { return }
        guard let line = lines.first(where: { $0.seq > seq }) else { return leave() }
        correct(line)
    }

    private mutating func correct(_ other: RecentLines.Line) {
        if draft == nil { draft = line }
        correcting = other.seq
        line = EditableText(other.spokenText)
    }

    private mutating func leave() {
        guard correcting != nil else { return }
        line = draft ?? EditableText()
        draft = nil
        correcting = nil
    }
}
