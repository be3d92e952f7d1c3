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
/// place; until it comes the line stands there.
///
/// Invariant: `open` and the logs' `finals` name existing blocks; the numbers in `finals` rise; the last
/// block is not gone; the places of the blocks do not fall.
struct ReaderDocument: Sendable {
    private struct OpenLine {
        let block: ReaderBlock.Name
        var settling = PartialSettling()
    }

    /// Whether translations take the places of their lines.
    var replacesByTranslations = false
    /// The main log's id; nil before that is known.
    var mainSession: String?
    private(set) var blocks = BlockList()
    /// How many blocks there ever were.
    private var blockNumber = 0
    /// What an order is counted from: behind lines that were withdrawn everything is behind all.
    private var base = 0
    /// The sessions of the logs besides the main one, in the order in which they were first heard of; the
    /// first has the number 1.
    private var sessions: [String] = []
    private var sessionNumbers: [String: Int] = [:]
    private var insertions: [Int] = []
    /// The speakers in the order in which they were first heard of.
    private(set) var speakers: [String] = []
    /// How many final lines there are, corrections counted with what they correct.
    private(set) var lineCount = 0
    private var speakerNumbers: [String: Int] = [:]
    private var open = OpenLines<OpenID, OpenLine>()
    /// The numbers of the main log's lines, and of the others' by their sessions.
    private var main = Numbers()
    private var others: [String: Numbers] = [:]
    /// Translations that came before their lines, by those and their logs.
    private var early: [Place: [(line: TranscriptLine, log: LogTitle)]] = [:]

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
        var finals: [(seq: Int, block: ReaderBlock.Name)] = []
        var corrections = Corrections()

        func block(of seq: Int) -> ReaderBlock.Name? {
            var (low, high) = (0, finals.count)
            while low < high {
                let middle = (low + high) / 2
                if finals[middle].seq < seq { low = middle + 1 } else { high = middle }
            }
            return low < finals.count && finals[low].seq == seq ? finals[low].block : nil
        }
    }

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

    mutating func add(notice: String, at now: Double) {
        append(ReaderBlock(text: SafeText.line(notice), time: now, marks: .isNotice))
    }

    /// The indexes at which blocks have come between others since this was asked last, each as it was then.
    mutating func takeInsertions() -> [Int] {
        defer { insertions = [] }
        return insertions
    }

    /// Adds a final line: where it was open, in the place of what it corrects, or at the end.
    ///
    /// - Parameter log: the log that it is of; nil for the main one.
    mutating func add(_ line: TranscriptLine, of log: LogTitle? = nil) {
        if let log, let translated = log.translates, let target = line.of,
            add(line, of: log, translating: target, in: translated)
        {
            return
        }
        addCaption(line, of: log)
        let place = Place(session: log?.session ?? mainSession, seq: line.seq)
        for translation in early.removeValue(forKey: place) ?? [] {
            add(translation.line, of: translation.log)
        }
    }

    /// Puts a translation under its line or in the place of that, or keeps it until that comes.
    ///
    /// - Returns: false where the line is none that is, or will be, here.
    private mutating func add(
        _ line: TranscriptLine, of log: LogTitle, translating target: Int, in session: String
    ) -> Bool {
        let numbers = session == mainSession ? main : others[session] ?? Numbers()
        let root = numbers.corrections.root(of: target)
        guard let block = numbers.block(of: root).flatMap({ index(of: $0) }) else {
            guard let last = numbers.finals.last?.seq, target > last else { return false }
            let place = Place(session: session, seq: target)
            if early.count < Self.mostEarly, early[place]?.count ?? 0 < Limits.logs {
                early[place, default: []].append((line, log))
            }
            return true
        }
        if replacesByTranslations { return replace(block, by: line) }
        addCaption(line, of: log, under: block)
        return true
    }

    /// Without words a translation leaves what stands there: the line as it is now.
    private mutating func replace(_ block: Int, by line: TranscriptLine) -> Bool {
        let text = SafeText.line(line.text)
        if !text.isEmpty, blocks[block].marks.isDisjoint(with: [.isUnsaid, .isWithdrawn]) {
            blocks[block].text = text
        }
        return true
    }

    /// A translation comes some seconds after its line, or a moment before it.
    private static let mostEarly = 1_024

    /// - Parameter original: the line that it translates; nil for one of its own.
    private mutating func addCaption(
        _ line: TranscriptLine, of log: LogTitle?, under original: Int? = nil
    ) {
        let opened = close(OpenID(session: log?.session, line: line.line))
        let line = log.map { line.named(after: $0) } ?? line
        if let place = self[log].corrections.add(line).flatMap({ self[log].block(of: $0) })
            .flatMap({ index(of: $0) })
        {
            if let opened { remove(opened) }
            change(place, to: line, adding: .isCorrected)
            return
        }
        let place =
            opened ?? original.map { insert(line, under: $0) } ?? insert(line, of: log?.session)
        change(place, to: line, adding: [])
        if original == nil { lineCount += 1 }
        if line.seq > self[log].finals.last?.seq ?? 0 {
            self[log].finals.append((line.seq, blocks[place].name))
        }
    }

    /// Sets the text of an open line; an empty one withdraws it. With too many open lines the
    /// oldest gives way.
    mutating func set(_ partial: PartialLine, of log: LogTitle? = nil, at now: Double) {
        let id = OpenID(session: log?.session, line: partial.line)
        let text = SafeText.line(partial.text)
        guard !text.isEmpty else {
            if let block = close(id) { remove(block) }
            return
        }
        var line = open[id] ?? begin(at: now)
        line.settling.revise(text, at: now)
        if let oldest = open.set(id, line), let block = index(of: oldest.value.block) {
            remove(block)
        }
        guard let block = index(of: line.block) else { return }
        name(log.map { $0.name(of: partial.speaker) } ?? partial.speaker, in: block)
        blocks[block].text = text
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
        let session = log?.session ?? mainSession
        early = early.filter { $0.key.session != session || $0.key.seq < first }
        goOnBehindAll()
    }

    /// What follows is numbered from 1; what is there stays as it is, for good.
    mutating func beginAnew() {
        (main, others, early) = (Numbers(), [:], [:])
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

    /// The final lines as text, corrections applied: `Speaker: text`, a line each.
    var transcript: String {
        var text = ""
        let none: ReaderBlock.Marks = [.isNotice, .isOpen, .isGone, .isUnsaid]
        for block in blocks where block.marks.isDisjoint(with: none) {
            if let speaker = block.speaker { text += speakers[speaker] + ": " }
            text += block.text + "\n"
        }
        return text
    }

    // MARK: Blocks

    private mutating func begin(at now: Double) -> OpenLine {
        OpenLine(block: append(ReaderBlock(text: "", time: now, marks: .isOpen)))
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
    private mutating func insert(_ line: TranscriptLine, of session: String?) -> Int {
        let place = ReaderBlock.Place(order: base + line.at, log: number(ofLog: session))
        let index = blocks.firstIndex { isBehind($0, place) }
        insert(ReaderBlock(text: "", time: line.sentTimestamp, marks: []), at: index, place)
        return index
    }

    /// Makes a block for a translation, behind others of the same line.
    ///
    /// - Returns: its index.
    private mutating func insert(_ line: TranscriptLine, under original: Int) -> Int {
        var index = original + 1
        while index < blocks.count, blocks[index].marks.contains(.isTranslation) { index += 1 }
        let block = ReaderBlock(text: "", time: line.sentTimestamp, marks: .isTranslation)
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
        return one.log != other.log && session(one.log) > session(other.log)
    }

    private func session(_ log: Int) -> String { log == 0 ? mainSession ?? "" : sessions[log - 1] }

    private mutating func number(ofLog session: String?) -> Int {
        guard let session else { return 0 }
        if let number = sessionNumbers[session] { return number }
        sessions.append(session)
        sessionNumbers[session] = sessions.count
        return sessions.count
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
        blocks[block].text = ""
        blocks[block].marks = .isGone
        while blocks.last?.isGone == true { blocks.removeLast() }
    }

    private mutating func change(
        _ block: Int, to line: TranscriptLine, adding marks: ReaderBlock.Marks
    ) {
        name(line.speaker, in: block)
        blocks[block].text = SafeText.line(line.text)
        blocks[block].marks.formUnion(marks)
        if marks.contains(.isCorrected), line.text.isEmpty {
            blocks[block].marks.insert(.isUnsaid)
        } else {
            blocks[block].marks.remove(.isUnsaid)
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
