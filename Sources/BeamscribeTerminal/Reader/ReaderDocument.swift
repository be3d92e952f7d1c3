import BeamscribeCore

/// The captions of an event in the order in which they began, each once and with its corrections,
/// and what the program has to say between them.
///
/// A block keeps its index for as long as it is there: an open line becomes final where it stands,
/// a correction takes the place of what it corrects. Only blocks at the end that turned out to be
/// nothing are taken away.
///
/// Lines of several logs of an event stand in the order in which they came, each under its log's name. A
/// translation can take the place of its line, which stands there until it comes.
///
/// Invariant: `open` and the logs' `finals` name existing blocks; the numbers in `finals` rise; the last
/// block is not gone.
struct ReaderDocument: Sendable {
    private struct OpenLine {
        let block: Int
        var settling = PartialSettling()
    }

    /// Whether translations take the places of their lines.
    var replacesByTranslations = false
    /// The main log's id; nil before that is known.
    var mainSession: String?
    private(set) var blocks: [ReaderBlock] = []
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
    private var early: [Place: TranscriptLine] = [:]

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
        var finals: [(seq: Int, block: Int)] = []
        var corrections = Corrections()

        func block(of seq: Int) -> Int? {
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
        set { if let log { others[log.session] = newValue } else { main = newValue } }
    }

    mutating func add(notice: String, at now: Double) {
        blocks.append(ReaderBlock(text: SafeText.line(notice), time: now, marks: .isNotice))
    }

    /// Adds a final line: where it was open, in the place of what it corrects, or at the end.
    ///
    /// - Parameter log: the log that it is of; nil for the main one.
    mutating func add(_ line: TranscriptLine, of log: LogTitle? = nil) {
        if replacesByTranslations, let log, let translated = log.translates, let target = line.of,
            add(line, translating: target, in: translated)
        {
            return
        }
        addCaption(line, of: log)
        let place = Place(session: log?.session ?? mainSession, seq: line.seq)
        if let translation = early.removeValue(forKey: place), let session = place.session {
            _ = add(translation, translating: line.seq, in: session)
        }
    }

    /// Puts a translation in the place of its line, or keeps it until that comes. Without words it leaves
    /// what stands there: the line as it is now.
    ///
    /// - Returns: false where the line is none that is, or will be, here.
    private mutating func add(
        _ line: TranscriptLine, translating target: Int, in session: String
    ) -> Bool {
        let numbers = session == mainSession ? main : others[session] ?? Numbers()
        guard let block = numbers.block(of: numbers.corrections.root(of: target)) else {
            guard target > numbers.finals.last?.seq ?? 0 else { return false }
            if early.count < Self.mostEarly {
                early[Place(session: session, seq: target)] = line
            }
            return true
        }
        let text = SafeText.line(line.text)
        if !text.isEmpty, blocks[block].marks.isDisjoint(with: [.isUnsaid, .isWithdrawn]) {
            blocks[block].text = text
        }
        return true
    }

    /// A translation comes some seconds after its line, or a moment before it.
    private static let mostEarly = 1_024

    private mutating func addCaption(_ line: TranscriptLine, of log: LogTitle?) {
        let opened = close(OpenID(session: log?.session, line: line.line))
        let line = log.map { line.named(after: $0) } ?? line
        if let place = self[log].corrections.add(line).flatMap({ self[log].block(of: $0) }) {
            if let opened { remove(opened) }
            change(place, to: line, adding: .isCorrected)
            return
        }
        let place = opened ?? blocks.count
        if opened == nil {
            blocks.append(ReaderBlock(text: "", time: line.sentTimestamp, marks: []))
        }
        change(place, to: line, adding: [])
        lineCount += 1
        if line.seq > self[log].finals.last?.seq ?? 0 { self[log].finals.append((line.seq, place)) }
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
        if let oldest = open.set(id, line) { remove(oldest.value.block) }
        name(log.map { $0.name(of: partial.speaker) } ?? partial.speaker, in: line.block)
        blocks[line.block].text = text
    }

    /// The host has lost these lines: they stay as what was read, and are marked.
    mutating func withdraw(from first: Int, through last: Int, of log: LogTitle? = nil) {
        while let final = self[log].finals.last, final.seq >= first {
            if final.seq <= last { blocks[final.block].marks.insert(.isWithdrawn) }
            self[log].finals.removeLast()
        }
        self[log].corrections.forget(from: first)
        let session = log?.session ?? mainSession
        early = early.filter { $0.key.session != session || $0.key.seq < first }
    }

    /// What follows is numbered from 1; what is there stays as it is, for good.
    mutating func beginAnew() { (main, others, early) = (Numbers(), [:], [:]) }

    /// Time passes: what stands for a while is settled.
    mutating func pass(to now: Double) {
        open.changeAll { if $0.settling.isWaiting { $0.settling.pass(to: now) } }
    }

    /// Where the settled words of an open block end, as an offset in its text's UTF-8; nil for one
    /// that is final.
    func settledEnd(of block: Int) -> Int? {
        guard blocks[block].isOpen else { return nil }
        return open.entries.first { $0.value.block == block }?.value.settling.settledEnd
    }

    /// The first block that can still change, or the number of blocks.
    var firstOpenBlock: Int { open.entries.map(\.value.block).min() ?? blocks.count }

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
        blocks.append(ReaderBlock(text: "", time: now, marks: .isOpen))
        return OpenLine(block: blocks.count - 1)
    }

    /// Ends an open line.
    ///
    /// - Returns: its block; nil if the line is not open.
    private mutating func close(_ id: OpenID) -> Int? {
        guard let block = open.close(id)?.block else { return nil }
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
