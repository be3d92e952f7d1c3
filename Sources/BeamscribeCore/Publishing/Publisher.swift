/// Says lines into an event's log: gives them their numbers and ids, masks words, finds what a
/// correction is of, and lets through what the operator wants.
///
/// Invariant: each caption is said as one final or partial, under the id of its line or, where the
/// input gives none, that of the one line that is open; a correction names a line that is there. In a log
/// of translations one line at most has the words of another: who translates that anew corrects it.
public final class Publisher {
    /// What the operator lets through.
    public private(set) var gate = InputGate.open
    /// The newest lines as readers see them.
    public private(set) var recent: RecentLines
    /// How much was said of late.
    public private(set) var throughput = Throughput()

    /// How many lines were said, as readers count them: corrections go with what they correct, and
    /// translations with what they translate.
    public private(set) var saidLines: Int

    private let log: EventLog
    private let wordMask: WordMask?
    /// The finals that the input can still correct by their ids.
    private var finals = FinalNumbers()
    /// The translations of another log's lines, by the numbers of those.
    private var translations = FinalNumbers()
    /// The line that the input has begun without an id of its own, and how many there were.
    private var openLine: String?
    private var lineCount: Int

    /// - Parameters:
    ///   - log: what is said goes there, behind what it has.
    ///   - wordMask: the words that readers do not get to see; nil to change nothing. The log keeps
    ///     what was said.
    public init(into log: EventLog, masking wordMask: WordMask? = nil) {
        self.log = log
        self.wordMask = wordMask
        recent = RecentLines(areTranslations: log.isTranslation)
        lineCount = log.lastSeq
        saidLines = log.lastSeq - log.rewordingCount
        let first =
            log.lastSeq - (log.isTranslation ? Limits.correctableLines : Limits.recentLines) + 1
        log.forEachFinal(from: first) {
            recent.note($0, $1)
            note(translation: $0, $1)
        }
    }

    // MARK: Lines

    /// Says a final.
    ///
    /// - Returns: its number; nil where it could not be said.
    @discardableResult
    public func publish(final caption: Caption, now: Moment) -> Int? {
        let seq = log.lastSeq + 1
        var chunk = LiveChunk(
            final: seq, line: caption.line ?? openLine ?? nextLine(), text: masked(caption.text),
            sentTimestamp: now.wall)
        if chunk.text != caption.text { chunk.original = caption.text }
        chunk.heard = caption.heard
        chunk.details = caption.details
        chunk.speaker = caption.speaker.map { SafeText.name($0, bytes: Limits.labelBytes) }
        // No line is lost for a time that no clock can show.
        chunk.start = caption.start.flatMap { $0.isFinite ? $0 : nil }
        chunk.end = caption.end.flatMap { $0.isFinite ? $0 : nil }
        chunk.replaces = caption.replaces.flatMap { (1..<seq).contains($0) ? $0 : nil }
        let end = endOfTranslatable
        chunk.of = caption.of.flatMap { (1..<end).contains($0) ? $0 : nil }
        if log.isTranslation {
            chunk.replaces = chunk.replaces ?? chunk.of.flatMap { translations.number(of: "\($0)") }
            chunk.of = chunk.of ?? chunk.replaces.flatMap { log.final($0)?.of }
        }
        guard log.append(chunk) else { return nil }
        // Which is the place that it was given.
        chunk.at = log.highestPlace
        if caption.line == nil { openLine = nil }
        recent.note(seq, chunk)
        note(translation: seq, chunk)
        if chunk.replaces == nil, log.isTranslation || chunk.of == nil {
            saidLines += 1
            throughput.note(caption.text, at: now.uptime)
        }
        // An id of our own is not known to the input, which could correct it.
        if let id = caption.line, log.isTranslation || caption.of == nil {
            finals.note(seq, line: id, replacing: chunk.replaces)
        }
        return seq
    }

    /// Says a new wording of the newest final whose line has the id `caption.line`; a line of its own
    /// where that is not known any more.
    ///
    /// - Returns: the new line's number; nil where it could not be said.
    @discardableResult
    public func publish(correction caption: Caption, now: Moment) -> Int? {
        var caption = caption
        caption.replaces = caption.line.flatMap { finals.number(of: $0) }
        return publish(final: caption, now: now)
    }

    /// Replaces the newest partial of a line. An empty text withdraws it.
    public func publish(partial caption: Caption, now: Moment) {
        let line = caption.line ?? openLine ?? nextLine()
        if caption.line == nil { openLine = line }
        var chunk = LiveChunk(
            partialOf: line, revision: log.nextRevision(of: line), text: masked(caption.text),
            sentTimestamp: now.wall)
        chunk.speaker = caption.speaker.map { SafeText.name($0, bytes: Limits.labelBytes) }
        chunk.lang = caption.lang
        if let displaced = log.set(partial: chunk) {
            recent.note(partial: PartialLine(withdrawing: displaced))
        }
        recent.note(
            partial: PartialLine(
                line: line, text: caption.text, speaker: caption.speaker, lang: caption.lang))
    }

    /// Behind the newest line that one here can be the translation of. Who translates another's log may have
    /// read more of it than this machine.
    private var endOfTranslatable: Int {
        (log.isTranslation ? log.highestPlace + Limits.translationLead : log.lastSeq) + 1
    }

    private func note(translation seq: Int, _ chunk: LiveChunk) {
        guard log.isTranslation, let line = chunk.of else { return }
        translations.note(seq, line: "\(line)", replacing: chunk.replaces)
    }

    private func nextLine() -> String {
        lineCount += 1
        return "l-\(lineCount)"
    }

    private func masked(_ text: String) -> String { wordMask?.masked(text) ?? text }

    /// How readers have line `seq` now, with its speaker; nil where that is not in memory.
    public func wording(of seq: Int) -> String? {
        let root = recent.root(of: seq)
        if let line = recent.newest.last(where: { $0.seq == root }) { return line.spokenText }
        guard let final = log.final(seq) else { return nil }
        return RecentLines.Line(seq: seq, text: final.text, speaker: final.speaker).spokenText
    }

    // MARK: What the operator does

    /// Lets everything through, nothing for now, or nothing at all, and tells everybody. Whoever
    /// drives this rests the input, or throws away what comes in.
    public func set(_ gate: InputGate, now: Moment) {
        guard gate != self.gate else { return }
        self.gate = gate
        if gate == .offRecord { withdrawOpenLines(now: now) }
        tellGate(now: now)
    }

    /// Tells everybody what the operator lets through.
    public func tellGate(now: Moment) {
        switch gate {
        case .paused: log.tell(.paused, "The host has paused the captions.", now: now)
        case .offRecord:
            let message = "Off the record: what is said now is not sent, and not kept."
            log.tell(.offRecord, message, now: now)
        case .open:
            // Nobody should be told how long nothing came in that was not wanted.
            log.inputArrived(now: now)
            log.tell(.resumed, "The captions go on.", now: now)
        }
    }

    /// Readers must not go on looking at what may become words that are not for them.
    private func withdrawOpenLines(now: Moment) {
        for line in log.openLines { publish(partial: Caption(text: "", line: line), now: now) }
    }

    /// Marks this place in the event for everybody, once.
    ///
    /// - Parameter main: the event's main log, where this says lines into another of it.
    /// - Returns: the line before it, 0 for none; nil where the place is marked.
    public func mark(now: Moment, tellingIn main: EventLog? = nil) -> Int? {
        guard log.marks.last?.after != log.lastSeq else { return nil }
        let last = recent.newest.last.map { ": \"\(SafeText.label($0.spokenText, bytes: 80))\"" }
        let place =
            log.lastSeq == 0 ? "before the first line" : "after line \(log.lastSeq)\(last ?? "")"
        let message = "The host has marked this place, \(place)"
        log.mark(message, now: now)
        main?.tell(.mark, message, now: now)
        return log.lastSeq
    }

    /// Says line `seq` anew, or without any words withdraws it.
    ///
    /// - Parameter speaker: who speaks; nil for the same as before.
    /// - Returns: the correction's number; nil where there is no such line.
    public func correct(
        _ seq: Int, text: String, speaker: String? = nil, now: Moment
    ) -> Int? {
        guard seq >= 1, seq <= log.lastSeq else { return nil }
        let safe = SafeText.label(text, bytes: Limits.lineBytes)
        let text = safe.contains { !$0.isWhitespace } ? safe : ""
        // A line of its own: the one that the input has open stays so.
        let caption = Caption(
            text: text, line: "edit-\(log.lastSeq + 1)",
            speaker: speaker.map { SafeText.label($0, bytes: Limits.labelBytes) },
            replaces: recent.root(of: seq))
        return publish(final: caption, now: now)
    }
}
