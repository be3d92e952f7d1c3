import BeamscribeCore

/// The captions of an event in its order, each once and with its corrections, and what the program has to say
/// between them.
///
/// A block stays between the same two others, but for those that come between: an open line becomes final
/// where it stands, a correction takes the place of what it corrects. Only blocks at the end that turned
/// out to be nothing are taken away.
///
/// Lines of several logs of an event stand in the event's order, each under its log's name: one that is late
/// comes between others, which ``takeInsertions()`` tells. A translation stands under its line, or takes its
/// place; until it comes the line stands there. An interpreter's lines stand among them, in the place of those
/// that they interpret.
///
/// Invariant: `open` and the logs' `finals` name existing blocks; the numbers in `finals` rise; the last
/// block is not gone; the places of the blocks do not fall.
struct ReaderDocument: Sendable {
    private struct OpenLine {
        let block: ReaderBlock.Name
        var settling = PartialSettling()
    }

    /// The event's logs, and what is shown of each.
    private(set) var logs: ReaderLogs
    private(set) var blocks = BlockList()
    /// How many blocks there ever were.
    private var blockNumber = 0
    /// What an order is counted from: behind lines that were withdrawn everything is behind all.
    private var base = 0
    private var insertions: [Int] = []
    /// The speakers in the order in which they were first heard of.
    private(set) var speakers: [String] = []
    private var speakerNumbers: [String: Int] = [:]
    private var open = OpenLines<OpenID, OpenLine>()
    /// The numbers of the main log's lines, and of the others' by their sessions.
    private var main = Numbers()
    private var others: [String: Numbers] = [:]
    /// What interpreters have said of other logs, by their own, and those logs.
    private var interpreted: [String: (of: String, places: InterpretedPlaces)] = [:]
    /// Translations that came before their lines, by those and their logs.
    private var early: [Place: [(line: TranscriptLine, log: LogTitle, isForeign: Bool)]] = [:]

    /// A line by its log and number.
    private struct Place: Hashable {
        let session: String?
        let seq: Int
    }

    /// An open line: two logs may name theirs alike.
    private struct OpenID: Equatable {
        /// Nil for the main log.
        let session: String?
        let line: String
    }

    /// Which of a log's lines is in which block.
    private struct Numbers {
        typealias Final = (seq: Int, at: Int, block: ReaderBlock.Name)

        var finals: [Final] = []
        var corrections = Corrections()

        func block(of seq: Int) -> ReaderBlock.Name? {
            let index = firstIndex { $0.seq >= seq }
            return index < finals.count && finals[index].seq == seq ? finals[index].block : nil
        }

        /// The finals at these places of the event's order, in which a log's lines rise.
        func finals(at places: Range<Int>) -> ArraySlice<Final> {
            finals[firstIndex { $0.at >= places.lowerBound }...].prefix {
                $0.at < places.upperBound
            }
        }

        /// The index of the first that is far enough; their number where none is.
        private func firstIndex(_ isFarEnough: (Final) -> Bool) -> Int {
            var (low, high) = (0, finals.count)
            while low < high {
                let middle = (low + high) / 2
                if isFarEnough(finals[middle]) { high = middle } else { low = middle + 1 }
            }
            return low
        }
    }

    /// - Parameter choice: which logs are shown at first.
    init(showing choice: LogChoice = LogChoice()) { logs = ReaderLogs(choice) }

    private subscript(log: LogTitle?) -> Numbers {
        get { log.map { others[$0.session] ?? Numbers() } ?? main }
        // In place: a copy of 100,000 numbers for each line would take its time.
        _modify {
            if let log {
                yield &others[log.session, default: Numbers()]
            } else {
                yield &main
            }
        }
    }

    /// How many final lines are shown, corrections counted with what they correct.
    var lineCount: Int { logs.lineCount }

    /// The event is known, and which log is its main one, of whose machine.
    mutating func join(_ session: String, on device: String) {
        (logs.mainSession, logs.mainDevice) = (session, device)
    }

    /// A log stands in a new way; nil for the main one.
    mutating func note(_ standing: LogStanding, of log: LogTitle?) {
        logs.note(standing, of: log)
    }

    /// Shows other logs, all lines of which are there already.
    mutating func choose(_ change: (inout ReaderLogs) -> Void) {
        let before = logs.showsTranslations
        change(&logs)
        let shows = logs.showsTranslations
        guard shows != before else { return }
        for index in blocks.indices { blocks[index].showTranslation(shows) }
    }

    /// Whether a block is to be seen, as far as it is up to the reader's logs and to what it holds.
    func isShown(_ block: Int) -> Bool {
        let block = blocks[block]
        return !block.isGone && logs.isShown(block)
    }

    mutating func add(notice: String, at now: Double) {
        add(notice, of: ReaderBlock.noLog, at: now)
    }

    /// Adds what is to be said of a log, to those who see it; nil for the main one.
    mutating func add(notice: String, of log: LogTitle?, at now: Double) {
        add(notice, of: logs.number(of: log), at: now)
    }

    private mutating func add(_ notice: String, of log: Int, at now: Double) {
        append(ReaderBlock(text: SafeText.line(notice), time: now, marks: .isNotice, log: log))
    }

    /// The indexes at which blocks have come between others since this was asked last, each as it was then.
    mutating func takeInsertions() -> [Int] {
        defer { insertions = [] }
        return insertions
    }

    /// Adds a final line: where it was open, in the place of what it corrects, or at the end.
    ///
    /// - Parameters:
    ///   - log: the log that it is of; nil for the main one.
    ///   - isForeign: whether it is in none of the languages that the reader wants.
    mutating func add(
        _ line: TranscriptLine, of log: LogTitle? = nil, isForeign: Bool = false
    ) {
        if let log, let translated = log.translates, let target = line.of,
            add(line, of: log, translating: target, in: translated, isForeign: isForeign)
        {
            return
        }
        addCaption(line, of: log, isForeign: isForeign)
        if let log, logs.replaces(log), line.replaces == nil { interpret(by: line, of: log) }
        let place = Place(session: log?.session ?? logs.mainSession, seq: line.seq)
        for early in early.removeValue(forKey: place) ?? [] {
            add(early.line, of: early.log, isForeign: early.isForeign)
        }
    }

    /// Puts a translation under its line or in the place of that, or keeps it until that comes.
    ///
    /// - Returns: false where the line is none that is, or will be, here.
    private mutating func add(
        _ line: TranscriptLine, of log: LogTitle, translating target: Int, in session: String,
        isForeign: Bool
    ) -> Bool {
        let numbers = session == logs.mainSession ? main : others[session] ?? Numbers()
        let root = numbers.corrections.root(of: target)
        guard let block = numbers.block(of: root).flatMap({ index(of: $0) }) else {
            guard let last = numbers.finals.last?.seq, target > last else { return false }
            let place = Place(session: session, seq: target)
            if early.count < Self.mostEarly, early[place]?.count ?? 0 < Limits.logs {
                early[place, default: []].append((line, log, isForeign))
            }
            return true
        }
        // One that has no block of its own is known as well.
        _ = logs.number(of: log)
        // It translates a line with that number that the host has lost.
        if base + line.at < blocks[block].place.order { return true }
        if logs.replaces(log) { return replace(block, by: line) }
        addCaption(line, of: log, under: block, isForeign: isForeign)
        return true
    }

    /// Shows a translation in the place of its line, unless the translation has no words or the
    /// line is itself in a language of the reader's.
    private mutating func replace(_ block: Int, by line: TranscriptLine) -> Bool {
        let text = SafeText.line(line.text)
        let stays: ReaderBlock.Marks = [.isUnsaid, .isWithdrawn, .isInLanguage]
        if !text.isEmpty, blocks[block].marks.isDisjoint(with: stays) {
            blocks[block].translate(as: text, isShown: logs.showsTranslations)
            if blocks[block].marks.remove(.isInterpreted) != nil {
                logs.countInterpreted(blocks[block].log, -1)
            }
        }
        return true
    }

    /// A translation comes some seconds after its line, or a moment before it.
    private static let mostEarly = 1_024

    // MARK: Interpreters

    /// A line of an interpreter's log has come, and stands for what was said before it.
    private mutating func interpret(by line: TranscriptLine, of log: LogTitle) {
        guard let session = log.translates else { return }
        let told = interpreted[log.session, default: (session, InterpretedPlaces())].places.speak(
            at: base + line.at)
        for number in 0..<logs.count where logs.speaks(number, for: session) {
            let numbers = number == 0 ? main : others[logs.session(number)] ?? Numbers()
            for final in numbers.finals(at: told) {
                if let block = index(of: final.block) { markIfInterpreted(block, at: final.at) }
            }
        }
    }

    /// A line is shown, unless an interpreter's stand in its place.
    private mutating func markIfInterpreted(_ block: Int, at order: Int) {
        let others: ReaderBlock.Marks = [.isInLanguage, .isForeign, .isInterpreted]
        let log = blocks[block].log
        guard !interpreted.isEmpty, !blocks[block].isTranslated,
            blocks[block].marks.isDisjoint(with: others),
            interpreted.values.contains(where: {
                logs.speaks(log, for: $0.of) && $0.places.covers(order)
            })
        else { return }
        blocks[block].marks.insert(.isInterpreted)
        logs.countInterpreted(blocks[block].log, 1)
    }

    // MARK: Captions

    /// - Parameter original: the line that it translates; nil for one of its own.
    private mutating func addCaption(
        _ line: TranscriptLine, of log: LogTitle?, under original: Int? = nil, isForeign: Bool
    ) {
        let number = logs.number(of: log)
        let opened = close(OpenID(session: log?.session, line: line.line))
        let line = named(log).map { line.named(after: $0) } ?? line
        if let place = self[log].corrections.add(line).flatMap({ self[log].block(of: $0) })
            .flatMap({ index(of: $0) })
        {
            if let opened { remove(opened) }
            change(place, to: line, adding: .isCorrected)
            return
        }
        let place =
            opened ?? original.map { insert(line, under: $0, of: number) }
            ?? insert(line, of: number)
        change(place, to: line, adding: [])
        mark(place, isForeign: isForeign)
        if logs.asks(for: line.lang) { blocks[place].marks.insert(.isInLanguage) }
        logs.count(number, isForeign: isForeign, isUnder: original != nil)
        markIfInterpreted(place, at: base + line.at)
        if line.seq > self[log].finals.last?.seq ?? 0 {
            self[log].finals.append((line.seq, base + line.at, blocks[place].name))
        }
    }

    /// The log, where its lines are called by it: what stands in the place of the main log's is not.
    private func named(_ log: LogTitle?) -> LogTitle? {
        log.flatMap { logs.replaces($0) ? nil : $0 }
    }

    /// Sets the text of an open line; an empty one withdraws it. With too many open lines the
    /// oldest gives way.
    mutating func set(
        _ partial: PartialLine, of log: LogTitle? = nil, isForeign: Bool = false, at now: Double
    ) {
        let number = logs.number(of: log)
        let id = OpenID(session: log?.session, line: partial.line)
        let text = SafeText.line(partial.text)
        guard !text.isEmpty else {
            if let block = close(id) { remove(block) }
            return
        }
        var line = open[id] ?? begin(of: number, at: now)
        line.settling.revise(text, at: now)
        if let oldest = open.set(id, line), let block = index(of: oldest.value.block) {
            remove(block)
        }
        guard let block = index(of: line.block) else { return }
        name(named(log).map { $0.name(of: partial.speaker) } ?? partial.speaker, in: block)
        blocks[block].say(text)
        mark(block, isForeign: isForeign)
        logs.noteLanguage(number, isForeign: isForeign)
    }

    /// The host has lost these lines: they stay as what was read, and are marked.
    mutating func withdraw(from first: Int, through last: Int, of log: LogTitle? = nil) {
        while let final = self[log].finals.last, final.seq >= first {
            if final.seq <= last, let block = index(of: final.block) {
                blocks[block].marks.insert(.isWithdrawn)
            }
            self[log].finals.removeLast()
        }
        self[log].corrections.forget(from: first)
        let session = log?.session ?? logs.mainSession
        early = early.filter { $0.key.session != session || $0.key.seq < first }
        goOnBehindAll()
    }

    /// What follows is numbered from 1; what is there stays as it is, for good.
    mutating func beginAnew() {
        (main, others, early, interpreted) = (Numbers(), [:], [:], [:])
        logs.beginAnew()
        goOnBehindAll()
    }

    /// What follows has orders that were given before.
    private mutating func goOnBehindAll() { base = min(blocks.last?.place.order ?? 0, Int.max / 2) }

    /// Time passes: what stands for a while is settled.
    mutating func pass(to now: Double) {
        open.changeAll { if $0.settling.isWaiting { $0.settling.pass(to: now) } }
    }

    /// Where the settled words of an open block end, as an offset in its text's UTF-8; nil for one
    /// that is final.
    func settledEnd(of block: Int) -> Int? {
        guard blocks[block].isOpen else { return nil }
        let id = blocks[block].id
        return open.entries.first { $0.value.block.id == id }?.value.settling.settledEnd
    }

    /// The first block that can still change, or the number of blocks.
    var firstOpenBlock: Int {
        open.entries.compactMap { index(of: $0.value.block) }.min() ?? blocks.count
    }

    /// The final lines that are shown, as text, corrections applied: `Speaker: text`, a line each.
    var transcript: String {
        var text = ""
        let none: ReaderBlock.Marks = [.isNotice, .isOpen, .isGone, .isUnsaid]
        for block in blocks where block.marks.isDisjoint(with: none) && logs.isShown(block) {
            if let speaker = block.speaker { text += speakers[speaker] + ": " }
            text += block.text + "\n"
        }
        return text
    }

    // MARK: Blocks

    private mutating func begin(of log: Int, at now: Double) -> OpenLine {
        OpenLine(block: append(ReaderBlock(text: "", time: now, marks: .isOpen, log: log)))
    }

    /// Puts what has no place of its own behind all.
    @discardableResult
    private mutating func append(_ block: ReaderBlock) -> ReaderBlock.Name {
        let place = blocks.last?.place ?? ReaderBlock.Place(order: base, log: 0)
        insert(block, at: blocks.count, place)
        return blocks[blocks.count - 1].name
    }

    /// Makes a block for a line where that belongs.
    ///
    /// - Returns: its index.
    private mutating func insert(_ line: TranscriptLine, of log: Int) -> Int {
        let place = ReaderBlock.Place(order: base + line.at, log: log)
        let index = blocks.firstIndex { isBehind($0, place) }
        let block = ReaderBlock(text: "", time: line.sentTimestamp, marks: [], log: log)
        insert(block, at: index, place)
        return index
    }

    /// Makes a block for a translation, behind others of the same line.
    ///
    /// - Returns: its index.
    private mutating func insert(
        _ line: TranscriptLine, under original: Int, of log: Int
    ) -> Int {
        var index = original + 1
        while index < blocks.count, blocks[index].marks.contains(.isTranslation) { index += 1 }
        let block = ReaderBlock(
            text: "", time: line.sentTimestamp, marks: .isTranslation, log: log)
        insert(block, at: index, blocks[original].place)
        return index
    }

    private mutating func insert(
        _ block: ReaderBlock, at index: Int, _ place: ReaderBlock.Place
    ) {
        var block = block
        blockNumber += 1
        (block.id, block.place) = (blockNumber, place)
        if index < blocks.count { insertions.append(index) }
        blocks.insert(block, at: index)
    }

    /// Where a block is now; nil for one that is gone.
    private func index(of name: ReaderBlock.Name) -> Int? {
        var index = blocks.firstIndex { $0 == name.place || isBehind($0, name.place) }
        while index < blocks.count, blocks[index].place == name.place {
            if blocks[index].id == name.id { return index }
            index += 1
        }
        return nil
    }

    private func isBehind(_ one: ReaderBlock.Place, _ other: ReaderBlock.Place) -> Bool {
        if one.order != other.order { return one.order > other.order }
        return one.log != other.log && logs.session(one.log) > logs.session(other.log)
    }

    /// Ends an open line.
    ///
    /// - Returns: its block; nil if the line is not open.
    private mutating func close(_ id: OpenID) -> Int? {
        guard let block = open.close(id).flatMap({ index(of: $0.block) }) else { return nil }
        blocks[block].marks.remove(.isOpen)
        return block
    }

    private mutating func remove(_ block: Int) {
        blocks[block].say("")
        blocks[block].marks = .isGone
        while blocks.last?.isGone == true { blocks.removeLast() }
    }

    private mutating func change(
        _ block: Int, to line: TranscriptLine, adding marks: ReaderBlock.Marks
    ) {
        name(line.speaker, in: block)
        blocks[block].say(SafeText.line(line.text))
        blocks[block].marks.formUnion(marks)
        if marks.contains(.isCorrected), line.text.isEmpty {
            blocks[block].marks.insert(.isUnsaid)
        } else {
            blocks[block].marks.remove(.isUnsaid)
        }
    }

    private mutating func mark(_ block: Int, isForeign: Bool) {
        if isForeign {
            blocks[block].marks.insert(.isForeign)
        } else {
            blocks[block].marks.remove(.isForeign)
        }
    }

    private mutating func name(_ speaker: String?, in block: Int) {
        guard let speaker, !speaker.isEmpty else { return }
        let number = number(of: SafeText.line(speaker))
        if blocks[block].speaker == nil, !blocks[block].text.isEmpty {
            blocks[block].marks.insert(.namesSpeakerLast)
        }
        blocks[block].speaker = number
    }

    private mutating func number(of speaker: String) -> Int {
        if let number = speakerNumbers[speaker] { return number }
        speakers.append(speaker)
        speakerNumbers[speaker] = speakers.count - 1
        return speakers.count - 1
    }
}
