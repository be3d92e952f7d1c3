/// Which of an event's logs a reader wants.
///
/// Without names these are the logs of captions, and of the translations those into the languages that he
/// reads.
///
/// Invariant: what shows one log alone shows one, with one translation at most: of several that are called
/// alike the first that came.
public struct LogChoice: Sendable {
    /// What is wanted, in small letters; empty for all captions.
    private let names: Set<String>
    /// Whether every log is wanted, by its word.
    private let includesAll: Bool
    private let languages: LanguageRange
    /// The one log besides the main one that is wanted alone, once it was seen.
    private var leading: String?
    /// The main log's id, once that is known.
    private var main: String?
    /// The main log's lines that came, their places in the event's order, and whether they name a
    /// language that is asked for.
    private var lines: [(seq: Int, at: Int, isAskedFor: Bool)] = []
    /// The translation that stands for the main log, once it was seen, and which lines its own translate.
    private var translation: String?
    private var targets: [Int: Int] = [:]
    /// The open lines of that translation, and whether it has lines that stand for themselves.
    private var open = OpenLines<String, Void>()
    private var isInterpreted = false

    /// - Parameters:
    ///   - names: the logs' names, in which case does not count, or their ids; `floor` for the event's main
    ///     log. Empty for all captions, one `all` for all.
    ///   - languages: BCP 47 tags of the languages that are read; empty for none in particular.
    public init(_ names: [String] = [], languages: [String] = []) {
        let known = Set(names.map { $0.lowercased() })
        includesAll = known.contains(Self.all)
        self.names = includesAll ? [] : known
        self.languages = LanguageRange(languages)
    }

    /// The word for every log, which is none's name.
    package static let all = "all"
    private static let main = LogRecord.mainLabel.lowercased()

    /// Whether the event's main log is wanted.
    public var includesMain: Bool { names.isEmpty || names.contains(Self.main) }

    /// Whether one log alone is asked for, by its name.
    public var isOne: Bool { names.count == 1 }

    /// Whether translations stand for what they translate, rather than beside it.
    public var replacesByTranslations: Bool { names.isEmpty && !languages.isEmpty }

    /// Whether captions in this language are asked for, rather than shown with all others.
    public func asks(for language: String?) -> Bool {
        !languages.isEmpty && !languages.isEverything && languages.includes(language)
    }

    /// Whether a log is wanted.
    public func includes(_ log: LogTitle) -> Bool {
        guard names.isEmpty else {
            return names.contains(log.label.lowercased()) || names.contains(log.session)
        }
        return includesAll || log.translates == nil || languages.includes(log.lang)
    }

    /// What of `events` is wanted: what is said in these logs, and all that is no log's.
    public mutating func wanted(_ events: [GuestEvent]) -> [GuestEvent] {
        events.filter { includes($0) }
    }

    private mutating func includes(_ event: GuestEvent) -> Bool {
        switch event {
        case .inLog(let log, let event): return includes(log) && !isSuperfluous(event, of: log)
        case .line(let line):
            note(line)
            return includesMain
        case .withdrawn(let from, _):
            lines.removeLast(lines.count - index(of: from))
            targets = targets.filter { $0.value < from }
            return includesMain
        case .partial, .gap: return includesMain
        case .joined(let joined): main = joined.session
        case .begunAnew:
            (lines, translation, targets) = ([], nil, [:])
            (open, isInterpreted) = (OpenLines(), false)
        default: break
        }
        return true
    }

    /// A line that comes late has its place before others.
    private mutating func note(_ line: TranscriptLine) {
        let index = index(of: line.seq)
        guard index == lines.count || lines[index].seq != line.seq else { return }
        // A correction that names no language has that of its line.
        let isAskedFor = line.lang.map(asks(for:)) ?? line.replaces.flatMap(entry)?.isAskedFor
        lines.insert((line.seq, line.at, isAskedFor ?? false), at: index)
    }

    private func entry(of seq: Int) -> (seq: Int, at: Int, isAskedFor: Bool)? {
        let index = index(of: seq)
        return index < lines.count && lines[index].seq == seq ? lines[index] : nil
    }

    /// The index of the first line with this number or a higher one; the count if there is none.
    private func index(of seq: Int) -> Int {
        var (low, high) = (0, lines.count)
        while low < high {
            let middle = (low + high) / 2
            if lines[middle].seq < seq { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Whether a translation stands for no line: its line is before those that were asked for, was
    /// lost by the host and its number given to another, or is in a language that is asked for.
    private func isSuperfluous(_ event: GuestEvent, of log: LogTitle) -> Bool {
        guard log.translates == main, main != nil, case .line(let line) = event,
            let target = line.of, let first = lines.first
        else { return false }
        guard let entry = entry(of: target) else { return target < first.seq }
        return line.at < entry.at || replacesByTranslations && entry.isAskedFor
    }

    /// The same with the lines of a translation in the place of those that they translate, under their
    /// numbers, where a language was asked for rather than a log. An interpreter's, which stand for themselves,
    /// stay as they are.
    public mutating func replacing(_ events: [GuestEvent]) -> [GuestEvent] {
        guard replacesByTranslations else { return events }
        return events.flatMap { event in
            guard case .inLog(let log, let inner) = event, log.translates == main, main != nil
            else { return [event] }
            translation = translation ?? log.session
            return translation == log.session ? replacement(inner, of: log) : []
        }
    }

    private mutating func replacement(_ event: GuestEvent, of log: LogTitle) -> [GuestEvent] {
        switch event {
        case .line(var line):
            let wasOpen = open.close(line.line) != nil
            guard let target = line.of else {
                isInterpreted = true
                return [.inLog(log, event)]
            }
            line.replaces = line.replaces.flatMap { targets[$0] }
            targets[line.seq] = target
            (line.seq, line.of) = (target, nil)
            // It was open in another log than that in which it is done.
            let end = GuestEvent.inLog(log, .partial(PartialLine(withdrawing: line.line)))
            return wasOpen ? [end, .line(line)] : [.line(line)]
        case .partial(let partial):
            if partial.text.isEmpty {
                open.close(partial.line)
            } else {
                open.renew(partial.line, ())
            }
            return [.inLog(log, event)]
        case .withdrawn(let from, _): targets = targets.filter { $0.key < from }
        default: break
        }
        return isInterpreted ? [.inLog(log, event)] : []
    }

    /// The same for what shows one log alone: the main one, where that is wanted, and else the first that
    /// is, as if it were the main one.
    public mutating func leading(_ events: [GuestEvent]) -> [GuestEvent] {
        let isMain = includesMain
        return events.compactMap { event in
            switch event {
            case .inLog(let log, let event):
                guard !isMain, includes(log) else { return nil }
                leading = leading ?? log.session
                return leading == log.session ? event : nil
            case .line, .partial, .gap, .withdrawn: return isMain ? event : nil
            default: return event
            }
        }
    }
}
