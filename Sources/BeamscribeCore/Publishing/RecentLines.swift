/// The newest lines as readers see them: corrections in the places of what they correct, and what
/// is still open.
///
/// Invariant: `lines` rise by their numbers, and there are at most twice ``Limits/recentLines``;
/// `open` has each open line once, at most ``Limits/openLines``.
public struct RecentLines: Equatable, Sendable {
    /// A line with all that corrects it.
    public struct Line: Equatable, Sendable {
        /// Its number in the session.
        public var seq: Int
        /// The words.
        public var text: String
        /// Who speaks.
        public var speaker: String?
        /// Whether its words are a correction's.
        public var isCorrected = false

        /// A line as it was said.
        public init(seq: Int, text: String, speaker: String? = nil) {
            self.seq = seq
            self.text = text
            self.speaker = speaker
        }

        /// `Speaker: text`, or the text alone.
        public var spokenText: String { speaker.map { "\($0): \(text)" } ?? text }
    }

    private var lines: [Line] = []
    /// What is still open, in the order in which it began.
    public private(set) var open: [PartialLine] = []
    /// The line that a correction stands for, by the correction's number; at most
    /// ``Limits/correctableLines``.
    private var roots: [Int: Int] = [:]

    /// Before anything was said.
    public init() {}

    /// The newest lines, at most ``Limits/recentLines``, the oldest first.
    public var newest: ArraySlice<Line> { lines.suffix(Limits.recentLines) }

    /// The line in whose place line `seq` is shown.
    public func root(of seq: Int) -> Int { roots[seq] ?? seq }

    /// A final came.
    mutating func note(_ seq: Int, _ chunk: LiveChunk) {
        setOpen(nil, line: chunk.line)
        if let target = chunk.replaces, correct(root(of: target), by: seq, chunk) { return }
        lines.append(Line(seq: seq, text: chunk.text, speaker: chunk.speaker))
        guard lines.count > 2 * Limits.recentLines else { return }
        lines.removeFirst(Limits.recentLines)
        let oldest = lines[0].seq
        roots = roots.filter { $0.value >= oldest }
    }

    private mutating func correct(_ seq: Int, by correction: Int, _ chunk: LiveChunk) -> Bool {
        guard let index = lines.lastIndex(where: { $0.seq == seq }) else { return false }
        if roots.count >= Limits.correctableLines { roots = [:] }
        roots[correction] = seq
        lines[index].text = chunk.text
        lines[index].speaker = chunk.speaker ?? lines[index].speaker
        lines[index].isCorrected = true
        return true
    }

    /// The newest text of an open line came.
    mutating func note(partial: PartialLine) {
        setOpen(partial.text.isEmpty ? nil : partial, line: partial.line)
    }

    private mutating func setOpen(_ partial: PartialLine?, line: String) {
        let index = open.firstIndex { $0.line == line }
        switch (partial, index) {
        case (let partial?, let index?): open[index] = partial
        case (let partial?, nil):
            if open.count >= Limits.openLines { open.removeFirst() }
            open.append(partial)
        case (nil, let index?): open.remove(at: index)
        case (nil, nil): break
        }
    }
}
