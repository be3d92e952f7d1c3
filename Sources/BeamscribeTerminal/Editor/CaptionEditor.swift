public import BeamscribeCore

/// Captions as they are typed: keys go in, what is to be done comes out.
///
/// Up goes into the lines that are out already, to correct them; so does a backspace at the start of
/// an empty line, for programs that type as a stenographer writes and take back words that were sent
/// with Enter. A line that was begun before that waits meanwhile. Of a line that is corrected the
/// words are edited, and its speaker is not among them: Tab chooses another. Without a word it is
/// withdrawn; a further backspace goes on into the line before, and nothing is done before Enter.
///
/// What is pasted is shown to nobody before Enter either, and its lines wait, each for its own.
///
/// Invariant: `text` is at most ``Limits/lineBytes`` long; `draft` is set while a line that is out
/// is being corrected, and only then; so are `emptied` and `speaker`; `shown` is what readers see of
/// the line that is being typed.
public struct CaptionEditor: Sendable {
    public private(set) var line = EditableText()
    /// The line that is being corrected, as it was; nil while a new one is typed.
    public private(set) var corrected: RecentLines.Line?
    /// Who speaks in it.
    public private(set) var speaker: String?
    /// Lines without a word left, which Enter withdraws.
    public private(set) var emptied: [RecentLines.Line] = []
    /// Those who may speak.
    public private(set) var speakers: SpeakerRing
    /// The lines that can be corrected, the oldest first; to be kept up to date.
    public var lines: [RecentLines.Line] = []
    /// Lines that were pasted and wait.
    public private(set) var pasted: [String] = []

    private var draft: EditableText?
    private var shown = ""
    /// Something in the line was pasted, and nobody has said yet that it is meant.
    private var holdsPaste = false

    /// An empty line.
    ///
    /// - Parameter speakers: among whom Tab chooses.
    public init(speakers: [String] = []) {
        self.speakers = SpeakerRing(speakers)
    }

    /// The place of the line that is being corrected among those of the event; nil while a new one is typed.
    public var correcting: Int? { corrected?.at }

    /// The new line as far as it is typed, also while another is corrected.
    public var openText: String { (draft ?? line).text }

    /// Pasted lines that nobody has sent.
    public var pastedCount: Int { pasted.count + (holdsPaste ? 1 : 0) }

    /// Whether `key` needs ``lines`` to be up to date.
    public func needsLines(for key: Key) -> Bool {
        key == .up || key == .down || (key == .backspace && line.isEmpty)
    }

    /// Whether `key` asks for lines that are older than all of ``lines``.
    public func needsOlderLines(for key: Key) -> Bool {
        needsLines(for: key) && key != .down && correcting != nil
            && correcting == lines.first?.at && lines.first?.at != 1
    }

    /// Takes a key. What it changes in the line shows in ``partial()``.
    public mutating func handle(_ key: Key) -> EditorAction? {
        switch key {
        case .character(let character): return insert(character)
        case .pasted(let text): paste(text)
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
        case .escape: escape()
        case .tab: chooseSpeaker()
        default: break
        }
        return nil
    }

    /// What readers are to see of the line that is being typed, where that is something else than
    /// before. To be asked once for all keys that came together.
    public mutating func partial() -> EditorAction? {
        guard !holdsPaste else { return nil }
        let (speaker, spoken) = speakers.split(Self.trimmed(openText))
        let newest = spoken.isEmpty ? "" : "\(speaker ?? "")\u{0}\(spoken)"
        guard newest != shown else { return nil }
        shown = newest
        return .partial(text: spoken, speaker: spoken.isEmpty ? nil : speaker)
    }

    /// Ends the line that is being typed, where it has words. What was pasted is no such line.
    public mutating func takeOpen() -> EditorAction? {
        let text = holdsPaste ? "" : Self.trimmed(openText)
        clear()
        return text.isEmpty ? nil : final(text)
    }

    /// Forgets what was typed; ``partial()`` takes it back from readers.
    public mutating func clear() {
        line = EditableText()
        (draft, corrected, speaker, emptied) = (nil, nil, nil, [])
        (pasted, holdsPaste) = ([], false)
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
        guard correcting == nil else { return sendCorrections() }
        let text = Self.trimmed(line.text)
        line = EditableText()
        holdsPaste = false
        let action = text.isEmpty ? nil : final(text)
        takeNextPasted()
        return action
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
        guard line.isEmpty else { return line.backspace() }
        if let corrected, !emptied.contains(where: { $0.at == corrected.at }) {
            emptied.append(corrected)
        }
        correct(before: correcting ?? .max)
    }

    private mutating func chooseSpeaker() {
        guard correcting != nil else { return speakers.next() }
        speaker = speakers.name(after: speaker) ?? speaker
    }

    /// Leaves a correction, or lets go of what was pasted.
    private mutating func escape() {
        if correcting != nil { return leave() }
        if pastedCount > 0 { clear() }
    }

    // MARK: What is pasted

    /// What is pasted goes to the line as far as its first line does. It is never keys.
    private mutating func paste(_ text: String) {
        var parts = text.split(separator: "\n").map(String.init)
            .filter { $0.contains { !$0.isWhitespace } }
        guard !parts.isEmpty else { return }
        if correcting != nil {
            // A correction stays one line: what is too long for it is not taken.
            insertWhole(parts.joined(separator: " "))
            return
        }
        if pasted.isEmpty, let rest = insertWhole(parts.removeFirst()) { parts.insert(rest, at: 0) }
        pasted += parts.prefix(max(0, Limits.pastedLines - pasted.count))
        holdsPaste = true
    }

    /// - Returns: what is too long for the line; nil for nothing.
    @discardableResult
    private mutating func insertWhole(_ text: String) -> String? {
        let room = Limits.lineBytes - line.text.utf8.count
        var end = text.startIndex
        while end < text.endIndex, text[..<text.index(after: end)].utf8.count <= room {
            end = text.index(after: end)
        }
        line.insert(String(text[..<end]))
        return end < text.endIndex ? String(text[end...]) : nil
    }

    private mutating func takeNextPasted() {
        guard !pasted.isEmpty else { return }
        let next = pasted.removeFirst()
        holdsPaste = true
        if let rest = insertWhole(next) { pasted.insert(rest, at: 0) }
    }

    // MARK: Corrections

    /// Opens `other` to correct it, whether it is among ``lines`` or older.
    public mutating func correct(_ other: RecentLines.Line) {
        if draft == nil { draft = line }
        corrected = other
        speaker = other.speaker
        line = EditableText(other.text)
        if !lines.contains(where: { $0.at == other.at }) { lines = [other] }
    }

    private mutating func correct(before place: Int) {
        guard let line = lines.last(where: { $0.at < place }) else { return }
        correct(line)
    }

    private mutating func correctNext() {
        guard let place = correcting else { return }
        guard let line = lines.first(where: { $0.at > place }) else { return leave() }
        correct(line)
    }

    private mutating func leave() {
        guard correcting != nil else { return }
        line = draft ?? EditableText()
        (draft, corrected, speaker, emptied) = (nil, nil, nil, [])
    }

    private mutating func sendCorrections() -> EditorAction? {
        guard let corrected else { return nil }
        var corrections = emptied.filter { $0.at != corrected.at }
            .map { EditorAction.Correction(of: $0, to: "") }
        corrections += correction(of: corrected).map { [$0] } ?? []
        leave()
        return corrections.isEmpty ? nil : .corrections(corrections)
    }

    /// Nil where the line is as it was.
    private func correction(of corrected: RecentLines.Line) -> EditorAction.Correction? {
        let old = lines.first { $0.at == corrected.at }
        let text = Self.trimmed(line.text)
        guard old?.text != text || old?.speaker != speaker else { return nil }
        // A name that is written before the words now is the speaker.
        let named = speakers.split(text)
        guard named.text != text, old?.text.hasPrefix(text.dropLast(named.text.count)) != true
        else { return .init(of: corrected, to: text, speaker: text.isEmpty ? nil : speaker) }
        return .init(of: corrected, to: named.text, speaker: named.speaker)
    }
}
