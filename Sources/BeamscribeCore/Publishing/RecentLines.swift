/// The newest lines as readers see them: corrections in the places of what they correct, and what
/// is still open. Among captions translations are left out.
///
/// Invariant: `lines` rise by their numbers, and there are at most twice ``Limits/recentLines``.
public struct RecentLines: Equatable, Sendable {
    /// A line with all that corrects it.
    public struct Line: Equatable, Sendable {
        /// Its number in its log.
        public var seq: Int
        /// Its place among the lines of all of the event's logs.
        public var at: Int
        /// Its log, where that is another than the main one: a lower-case UUID.
        public var log: String?
        /// The words.
        public var text: String
        /// Who speaks.
        public var speaker: String?
        /// Whether its words are a correction's.
        public var isCorrected = false

        /// A line as it came.
        ///
        /// - Parameter at: its place; nil where that is its number.
        public init(seq: Int, at: Int? = nil, text: String, speaker: String? = nil) {
            (self.seq, self.at, self.text, self.speaker) = (seq, at ?? seq, text, speaker)
        }

        /// The same, as one of another log than the main one.
        package func inLog(_ session: String) -> Line {
            var line = self
            line.log = session
            return line
        }

        /// It is said anew.
        mutating func correct(by chunk: LiveChunk) {
            text = chunk.text
            speaker = chunk.speaker ?? speaker
            isCorrected = true
        }

        /// Its operator has withdrawn it.
        public var isWithdrawn: Bool { isCorrected && text.isEmpty }

        /// `Speaker: text`, or the text alone.
        public var spokenText: String {
            isWithdrawn ? "(withdrawn)" : speaker.map { "\($0): \(text)" } ?? text
        }
    }

    private let areTranslations: Bool
    private var lines: [Line] = []
    private var partials = OpenLines<String, PartialLine>()
    /// The line that a correction stands for, by the correction's number; at most
    /// ``Limits/correctableLines``.
    private var roots: [Int: Int] = [:]

    /// Before anything was said.
    ///
    /// - Parameter areTranslations: whether the lines are all those of another log in another language.
    public init(areTranslations: Bool = false) { self.areTranslations = areTranslations }

    /// The newest lines, at most ``Limits/recentLines``, the oldest first.
    public var newest: ArraySlice<Line> { lines.suffix(Limits.recentLines) }

    /// What is still open, in the order in which it began: the lines that are open in the log.
    public var open: [PartialLine] { partials.entries.map(\.value) }

    /// The line in whose place line `seq` is shown.
    public func root(of seq: Int) -> Int { roots[seq] ?? seq }

    /// A final came.
    mutating func note(_ seq: Int, _ chunk: LiveChunk) {
        partials.close(chunk.line)
        guard areTranslations || chunk.of == nil else { return }
        if let target = chunk.replaces {
            // What corrects an older line is none of the newest.
            return correct(root(of: target), by: seq, chunk)
        }
        lines.append(Line(seq: seq, at: chunk.at, text: chunk.text, speaker: chunk.speaker))
        guard lines.count > 2 * Limits.recentLines else { return }
        lines.removeFirst(Limits.recentLines)
        let oldest = lines[0].seq
        roots = roots.filter { $0.value >= oldest }
    }

    private mutating func correct(_ seq: Int, by correction: Int, _ chunk: LiveChunk) {
        guard let index = lines.lastIndex(where: { $0.seq == seq }) else { return }
        if roots.count >= Limits.correctableLines { roots = [:] }
        roots[correction] = seq
        lines[index].correct(by: chunk)
    }

    /// The newest text of an open line came.
    mutating func note(partial: PartialLine) {
        if partial.text.isEmpty {
            partials.close(partial.line)
        } else {
            partials.set(partial.line, partial)
        }
    }
}
