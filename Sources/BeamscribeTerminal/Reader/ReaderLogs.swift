import BeamscribeCore

/// The logs of an event as its reader knows them, and what of each is shown.
///
/// Invariant: the first is the main log; each keeps its number for good. A translation that comes into the
/// places of its lines is shown only where the log of these is.
struct ReaderLogs: Sendable {
    /// What of a log is shown.
    enum Extent: Sendable {
        case nothing
        /// The lines in the languages that the reader wants.
        case languages
        case everything
    }

    /// How many final lines there are: in the reader's languages, and in others.
    private struct Lines {
        var wanted = 0
        var foreign = 0

        func count(_ extent: Extent) -> Int {
            switch extent {
            case .nothing: 0
            case .languages: wanted
            case .everything: wanted + foreign
            }
        }
    }

    private struct Entry {
        /// Nil for the main log.
        var title: LogTitle?
        var standing = LogStanding.live
        var extent: Extent
        /// Whether the reader has said what he wants of it.
        var isChosen = false
        var own = Lines()
        /// Those that stand under the lines that they translate.
        var under = Lines()
        /// Of its own those in whose place an interpreter's stand.
        var interpreted = 0
        /// Whether there was anything in another language, open lines too.
        var hasForeign = false
    }

    /// What is wanted of the logs of which the reader has said nothing.
    private let choice: LogChoice
    /// The main log's id; nil before that is known.
    var mainSession: String?
    /// The machine of the main log's writer.
    var mainDevice = ""
    private var entries: [Entry]
    /// The numbers of the others by their sessions.
    private var numbers: [String: Int] = [:]

    /// - Parameter choice: what is wanted at first.
    init(_ choice: LogChoice = LogChoice()) {
        self.choice = choice
        entries = [Entry(extent: choice.includesMain ? .languages : .nothing)]
    }

    // MARK: What there is

    var count: Int { entries.count }

    /// A log's number; one that was not known gets the next.
    mutating func number(of log: LogTitle?) -> Int {
        guard let log else { return 0 }
        guard let number = numbers[log.session] else {
            entries.append(Entry(title: log, extent: .nothing))
            numbers[log.session] = count - 1
            follow(choice, count - 1)
            return count - 1
        }
        if entries[number].title != log {
            entries[number].title = log
            if !entries[number].isChosen { follow(choice, number) }
        }
        return number
    }

    private mutating func follow(_ choice: LogChoice, _ number: Int) {
        let isWanted = entries[number].title.map { choice.includes($0) } ?? choice.includesMain
        entries[number].extent = isWanted ? .languages : .nothing
    }

    /// The log's id; empty for a main one that is not known yet.
    func session(_ number: Int) -> String { entries[number].title?.session ?? mainSession ?? "" }

    /// Whether a log has what is said in the one of this id.
    func speaks(_ number: Int, for session: String) -> Bool {
        entries[number].title?.speaks(for: session) ?? (session == mainSession)
    }

    /// A log stands in a new way.
    mutating func note(_ standing: LogStanding, of log: LogTitle?) {
        entries[number(of: log)].standing = standing
    }

    /// A final line is there that was not.
    ///
    /// - Parameter isUnder: whether it stands under the line that it translates.
    mutating func count(_ number: Int, isForeign: Bool, isUnder: Bool) {
        let kind = isForeign ? \Lines.foreign : \Lines.wanted
        let place = isUnder ? \Entry.under : \Entry.own
        entries[number][keyPath: place][keyPath: kind] += 1
        noteLanguage(number, isForeign: isForeign)
    }

    /// In the place of so many more of a log's lines an interpreter's stand.
    mutating func countInterpreted(_ number: Int, _ count: Int) {
        entries[number].interpreted += count
    }

    /// Something was said, in a language that the reader wants or another.
    mutating func noteLanguage(_ number: Int, isForeign: Bool) {
        if isForeign { entries[number].hasForeign = true }
    }

    /// Another session follows, whose logs are others. Those of before say nothing more.
    mutating func beginAnew() {
        for number in entries.indices.dropFirst() { entries[number].standing = .ended }
    }

    // MARK: What is shown

    func isShown(_ block: ReaderBlock) -> Bool {
        if block.log == ReaderBlock.noLog { return true }
        switch entries[block.log].extent {
        case .nothing: return false
        case .languages:
            if block.isForeign { return false }
            return !(block.marks.contains(.isInterpreted) && showsTranslations)
        case .everything: return true
        }
    }

    /// The logs of which there may be something to be seen.
    var shown: LogSet {
        entries.indices.reduce(into: LogSet(ReaderBlock.noLog)) { shown, number in
            if entries[number].extent != .nothing { shown.formUnion(LogSet(number)) }
        }
    }

    /// Whether nothing that is said can be seen.
    var isNothingShown: Bool { entries.allSatisfy { $0.extent == .nothing } }

    /// Whether a log's lines come into the places of those that they translate.
    func replaces(_ log: LogTitle) -> Bool {
        choice.replacesByTranslations && log.translates != nil && choice.includes(log)
    }

    /// Whether captions in this language are asked for, rather than shown with all others.
    func asks(for language: String?) -> Bool { choice.asks(for: language) }

    /// Whether lines are shown as they were translated, where translations come into their places.
    var showsTranslations: Bool {
        entries.contains { $0.extent != .nothing && ($0.title.map(replaces) ?? false) }
    }

    /// How many final lines are shown; a translation is counted with its line.
    var lineCount: Int {
        let hidesInterpreted = showsTranslations
        return entries.indices.reduce(0) { sum, number in
            let entry = entries[number]
            let hidden = hidesInterpreted && entry.extent == .languages ? entry.interpreted : 0
            let own = entry.own.count(entry.extent) - hidden
            let isCounted = original(of: number).map { entries[$0].extent == .nothing } ?? true
            return sum + own + (isCounted ? entry.under.count(entry.extent) : 0)
        }
    }

    /// The log that one translates, if that is known.
    private func original(of number: Int) -> Int? {
        guard let session = entries[number].title?.translates else { return nil }
        return session == mainSession ? 0 : numbers[session]
    }

    // MARK: Choosing

    /// Shows all of a log where not all is shown, and nothing of it where it is.
    mutating func toggle(_ number: Int) {
        guard entries.indices.contains(number) else { return }
        if hasAll(number) { hide(number) } else { show(number) }
    }

    /// Shows every log of captions, and of the translations those that were wanted at first.
    mutating func showAllCaptions() {
        for number in entries.indices {
            if entries[number].title?.translates == nil {
                show(number)
            } else {
                follow(choice, number)
            }
        }
    }

    private mutating func show(_ number: Int) {
        (entries[number].extent, entries[number].isChosen) = (.everything, true)
        guard let original = replaced(by: number), entries[original].extent == .nothing
        else { return }
        show(original)
    }

    private mutating func hide(_ number: Int) {
        (entries[number].extent, entries[number].isChosen) = (.nothing, true)
        for other in entries.indices where replaced(by: other) == number {
            (entries[other].extent, entries[other].isChosen) = (.nothing, true)
        }
    }

    /// The log in the places of whose lines one comes.
    private func replaced(by number: Int) -> Int? {
        guard let title = entries[number].title, replaces(title) else { return nil }
        return original(of: number)
    }

    private func hasAll(_ number: Int) -> Bool {
        let entry = entries[number]
        return entry.extent == .everything || (entry.extent == .languages && !entry.hasForeign)
    }

    // MARK: What a reader is told

    /// A log as it is listed.
    struct Listed: Equatable {
        var label: String
        /// What it is, where it is written and how it stands: the most important first.
        var details: [String]
        /// `x` where all of it is shown, `-` for a part, a blank for nothing.
        var sign: Character
    }

    func listed(_ number: Int) -> Listed {
        let entry = entries[number]
        let isPart = entry.extent != .nothing && !hasAll(number)
        let part = isPart ? "in your languages only" : nil
        let device = entry.title?.deviceName ?? mainDevice
        return Listed(
            label: entry.title?.label ?? LogRecord.mainLabel,
            details: [Self.words(entry.standing), Self.kind(entry.title), part, device]
                .compactMap(\.self).filter { !$0.isEmpty },
            sign: isPart ? "-" : entry.extent == .nothing ? " " : "x")
    }

    private static func kind(_ title: LogTitle?) -> String {
        guard let title else { return "captions" }
        let what = title.translates == nil ? "captions" : "translation"
        guard let lang = title.lang else { return what }
        return title.translates == nil ? "\(what) in \(lang)" : "\(what) into \(lang)"
    }

    private static func words(_ standing: LogStanding) -> String {
        switch standing {
        case .live: "live"
        case .standby: "stands by"
        case .stale: "not heard"
        case .ended: "ended"
        case .forked: "written twice"
        }
    }

    /// `1 of 2 logs`, where the reader has chosen and does not see all captions; else nil.
    var summary: String? {
        let captions = entries.filter { $0.title?.translates == nil }
        let shown = entries.count { $0.extent != .nothing }
        guard entries.contains(where: \.isChosen),
            captions.contains(where: { $0.extent == .nothing })
        else { return nil }
        return "\(shown) of \(count) logs"
    }
}
