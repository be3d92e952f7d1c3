/// Which lines of an event have been translated into one language, and what is to be translated next.
///
/// A translation is a final of its own, in the event's log or in one beside it, which names the line whose
/// words it has (`of`). That of a
/// correction corrects the translation of what it corrects, and what was withdrawn has its translation
/// withdrawn. Lines that are in the language already, and translations, are not translated.
///
/// Invariant: the lines are looked at in order, each once; the last that was translated is named by a
/// line of the log that has the translation, so that whoever reads that knows where to go on.
public struct TranslatedLines {
    /// A line to be translated.
    public struct Task: Equatable, Sendable {
        /// The line's number.
        public let seq: Int
        /// Its words as readers have them.
        public let text: String
        /// When it was said, in seconds since 1970.
        public let time: Double
        fileprivate let details: CaptionDetails
        /// The line that it stands for, if it is a correction.
        fileprivate let root: Int
    }

    /// What follows from a line.
    public enum Step: Equatable, Sendable {
        /// Its words are to be translated.
        case translate(Task)
        /// Its translation is to be said anew; without words it is taken back.
        case say(Caption, for: Task)
    }

    /// A BCP 47 tag.
    public let language: String
    /// The line that is looked at next.
    public private(set) var next = 1
    private var corrections = Corrections()
    /// The translations of lines that corrections may still come to, by those lines.
    private var translations: [Int: Int] = [:]
    private var order: [Int] = []

    /// Goes on behind the last line of `log` that was translated; where none was, behind all.
    ///
    /// - Parameter own: the log that has the translation; nil where that is `log`. What an earlier run has
    ///   translated there is not said again.
    public init(into language: String, of log: EventLog, saidIn own: EventLog? = nil) {
        self.language = language
        var last: Int?
        log.forEachFinal(from: 1) { seq, chunk in
            let root = corrections.add(seq, replacing: chunk.replaces) ?? seq
            guard let target = chunk.of, chunk.lang == language, target < seq else { return }
            last = max(last ?? 0, target)
            if own == nil { note(root, of: corrections.root(of: target)) }
        }
        if let own { goOn(in: own, of: log, &last) }
        next = (last ?? log.lastSeq) + 1
    }

    /// What `log` has lost was translated, and is said anew: then its translation is, too.
    private mutating func goOn(in own: EventLog, of log: EventLog, _ last: inout Int?) {
        var ownCorrections = Corrections()
        own.forEachFinal(from: 1) { seq, chunk in
            let root = ownCorrections.add(seq, replacing: chunk.replaces) ?? seq
            guard let target = chunk.of else { return }
            last = max(last ?? 0, min(target, log.lastSeq))
            note(root, of: corrections.root(of: target))
        }
    }

    /// How many lines were not looked at yet.
    public func waiting(in log: EventLog) -> Int { max(0, log.lastSeq + 1 - next) }

    /// What is to be done next; nil where there is nothing for now.
    public mutating func step(in log: EventLog) -> Step? {
        while next <= log.lastSeq {
            // What memory has lost is nobody's any more.
            next = max(next, log.firstSeq)
            let seq = next
            next += 1
            if let chunk = log.final(seq), let step = step(seq, chunk, log) { return step }
        }
        return nil
    }

    private mutating func step(_ seq: Int, _ chunk: LiveChunk, _ log: EventLog) -> Step? {
        let target = corrections.add(seq, replacing: chunk.replaces)
        guard chunk.of == nil, !isOwn(chunk.lang) else { return nil }
        if let target, log.final(target)?.of != nil { return nil }
        let task = Task(
            seq: seq, text: chunk.text, time: chunk.sentTimestamp, details: chunk.details,
            root: target ?? seq)
        guard chunk.text.contains(where: { !$0.isWhitespace }) else { return withdrawal(for: task) }
        return .translate(task)
    }

    /// `en` has `en-GB`, too.
    private func isOwn(_ tag: String?) -> Bool {
        guard let tag = tag?.lowercased() else { return false }
        return tag == language.lowercased() || tag.hasPrefix(language.lowercased() + "-")
    }

    /// What is to be said once the words of a line are translated, or cannot be: a line that was
    /// said anew does not keep the translation of what it was.
    ///
    /// - Parameter text: nothing where there is no translation.
    public func caption(_ text: String, for task: Task) -> Step? {
        guard text.contains(where: { !$0.isWhitespace }) else { return withdrawal(for: task) }
        return .say(final(text, for: task), for: task)
    }

    private func withdrawal(for task: Task) -> Step? {
        translations[task.root].map { _ in .say(final("", for: task), for: task) }
    }

    private func final(_ text: String, for task: Task) -> Caption {
        var caption = Caption(
            text: text, line: "\(language)-\(task.seq)", replaces: translations[task.root])
        caption.details = task.details
        caption.lang = language
        caption.of = task.seq
        return caption
    }

    /// The translation of a line was said as line `seq`.
    public mutating func said(_ task: Task, as seq: Int) {
        if translations[task.root] == nil { note(seq, of: task.root) }
    }

    private mutating func note(_ translation: Int, of root: Int) {
        if translations.updateValue(translation, forKey: root) == nil { order.append(root) }
        if order.count > Limits.correctableLines { translations[order.removeFirst()] = nil }
    }
}
