/// Lets through what a reader wants of a guest's events: lines in some languages.
///
/// A line passes whose language one of the tags is, or begins with at a hyphen (basic filtering,
/// RFC 4647, section 3.3.1): `en` takes `en-GB`. A line that does not tell its language passes; a
/// correction that does not has that of the line which it corrects. Everything that is no caption
/// passes, and no number changes: the position of a guest, and gaps, are about all lines.
///
/// For whoever shows a translation in the place of its line, all lines of a log pass of which there is a
/// translation: each is shown until that comes.
///
/// Invariant: an open line that passes no longer was withdrawn.
public struct CaptionFilter: Sendable {
    private let languages: LanguageRange
    /// Whether the lines of logs pass that are translated.
    private let keepsOriginals: Bool
    /// The logs of which there is a translation into one of the languages, and the main one.
    private var translated: Set<String> = []
    private var main: String?
    /// Lines that were held back.
    private var hidden = LineNumbers()
    /// The open lines that a reader sees.
    private var open = OpenLines<String, Void>()
    /// What lets through the lines of the event's other logs, by their sessions.
    private var others: [String: CaptionFilter] = [:]

    /// - Parameters:
    ///   - languages: BCP 47 tags; empty, or one `*`, for all.
    ///   - keepsOriginals: whether lines pass that are shown until their translation comes.
    public init(languages: [String] = [], keepsOriginals: Bool = false) {
        self.init(LanguageRange(languages), keepsOriginals)
    }

    private init(_ languages: LanguageRange, _ keepsOriginals: Bool) {
        (self.languages, self.keepsOriginals) = (languages, keepsOriginals)
    }

    /// Whether everything passes.
    public var passesAll: Bool { languages.isEverything }

    /// What passes of `events`, in order.
    public mutating func pass(_ events: [GuestEvent]) -> [GuestEvent] {
        passesAll ? events : events.compactMap { pass($0) }
    }

    private mutating func pass(_ event: GuestEvent) -> GuestEvent? {
        note(event)
        switch event {
        case .line where isTranslated, .partial where isTranslated: return event
        case .line(let line):
            guard passes(line) else { return withdrawal(of: line.line) }
            open.close(line.line)
            return event
        case .partial(let partial):
            guard !partial.text.isEmpty, wants(partial.lang) else {
                return withdrawal(of: partial.line)
            }
            open.renew(partial.line, ())
            return event
        case .withdrawn(let from, _):
            hidden.removeAll(from: from)
            return event
        case .begunAnew:
            hidden.removeAll(from: 1)
            return event
        case .inLog(let log, let event): return pass(event, of: log)
        default: return event
        }
    }

    /// Whether there is a translation of the main log, which comes into its lines' places.
    private var isTranslated: Bool { main.map { translated.contains($0) } ?? false }

    /// A log may be a translation.
    private mutating func note(_ event: GuestEvent) {
        switch event {
        case .joined(let joined): main = joined.session
        case .log(let log, _), .inLog(let log, _):
            if keepsOriginals, let of = log.translates, languages.includes(log.lang) {
                translated.insert(of)
            }
        default: break
        }
    }

    /// A line of another log that does not tell its language has the log's.
    private mutating func pass(_ event: GuestEvent, of log: LogTitle) -> GuestEvent? {
        // What is said in the place of a log that is translated may be interpreted with it.
        if translated.contains(where: { log.speaks(for: $0) }) { return .inLog(log, event) }
        let told = event.told(in: log.lang)
        let passed = others[log.session, default: CaptionFilter(languages, false)].pass(told)
        return passed.map { .inLog(log, $0 == told ? event : $0) }
    }

    /// Nil where no reader sees the line.
    private mutating func withdrawal(of line: String) -> GuestEvent? {
        guard open.close(line) != nil else { return nil }
        return .partial(PartialLine(withdrawing: line))
    }

    /// Whether the next line passes.
    public mutating func passes(_ line: TranscriptLine) -> Bool {
        if passesAll { return true }
        if let last = hidden.last, last >= line.seq { hidden.removeAll(from: line.seq) }
        let isHidden = line.lang == nil && line.replaces.map { hidden.contains($0) } ?? false
        if !isHidden, wants(line.lang) { return true }
        hidden.append(line.seq)
        return false
    }

    /// Whether lines in this language are asked for, rather than let through with all others.
    public func asks(for lang: String?) -> Bool { !passesAll && lang != nil && wants(lang) }

    private func wants(_ lang: String?) -> Bool {
        guard let lang, !lang.isEmpty else { return true }
        return languages.includes(lang)
    }

    /// Whether `tag` looks like a language (RFC 5646, section 2.1): letters and digits in parts of
    /// 1 to 8, hyphens between, the first part letters; or `*`.
    public static func isLanguage(_ tag: String) -> Bool {
        let parts = tag.split(separator: "-", omittingEmptySubsequences: false)
        guard tag != "*" else { return true }
        guard let first = parts.first, first.utf8.allSatisfy(isLetter) else { return false }
        return parts.allSatisfy { part in
            (1...8).contains(part.utf8.count)
                && part.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte & ~0x20)
    }
}

extension GuestEvent {
    /// The same of a caption that does not tell its language, in this one.
    fileprivate func told(in language: String?) -> GuestEvent {
        switch self {
        case .line(var line) where line.replaces == nil:
            line.lang = line.lang ?? language
            return .line(line)
        case .partial(var partial) where !partial.text.isEmpty:
            partial.lang = partial.lang ?? language
            return .partial(partial)
        default: return self
        }
    }
}
