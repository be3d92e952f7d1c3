import FoundationEssentials

/// Brings a log to the server that keeps it: its writer's transcript is the truth, and the stream a copy.
///
///     away ---- connected ----> looking ---- ours ----> filling ---- refused, silent for 1 s ----> looking
///                                  |  '---- no stream ----> making ----^
///                                  '------- not ours ----> searching ---- nobody's line ----> filling, anywhere
///                                                              '--------- signed by our key ----> given up
///
/// A server that was killed may have lost the last lines of an earlier part, too. After each new
/// connection the filler checks the earlier parts. It fills each up to where the next part begins,
/// also behind what others have written there.
///
/// A line's condition is how many are there before it, not which: of two writers who send several
/// at once each could have a line behind the other's. So the first of several goes alone, and where
/// one is taken behind one that was refused, what is there is looked at.
///
/// Where somebody who has not our key has written into the stream, lines follow behind that without
/// a condition, all up to a signature in one message: readers skip what is not proven. So nobody
/// can stop the log again by more of it.
///
/// The server can be wrong, or somebody between: our own line is never taken for another's.
///
/// Invariant: line n of the stream is line n of the log, for every line that is confirmed, up to
/// the first message that is not ours; where another has written a line with our key, nothing more
/// is written.
final class LogFiller {
    enum Action: Equatable {
        case ask(BackboneRequest)
        case report(Outcome)
    }

    /// What becomes of a log at the server.
    enum Outcome: Equatable {
        /// Somebody else writes it there with the same key: nothing more goes there.
        case foreign
        /// Somebody without the key has written into its stream: it continues behind that.
        case fouled
        /// Lines are gone from memory that the stream would need: nothing more goes there.
        case linesGone(ClosedRange<Int>)
        /// The server does not take it for now, and is asked again.
        case trouble(String)
        /// It does again.
        case recovered
    }

    /// How many lines are on their way at once.
    static let window = 4_096
    /// For how long nothing may be answered.
    static let patience = Duration.seconds(1)
    /// The longest time for which nothing may be answered that is written without a condition.
    private static let longestPatience = Duration.seconds(30)
    /// How long a request may take.
    static let requestPatience = Duration.seconds(5)

    let log: EventLog
    private let session: UUID
    /// Whether nobody else may write it.
    private let isOwn: Bool
    private let crypto: any LogCrypto
    private let packets = PacketDecoder()
    /// The number of messages, from the first, that are known to be ours in the part that was
    /// filled last.
    private var known = 0
    /// Where a line was refused, the part and how many messages before it are known to be ours.
    private var refused: (part: Int, ours: Int)?
    /// Whether one was taken behind that: then the newest message being ours says nothing.
    private var isSuspect = false
    private var isFouledTold = false
    /// Whether the server has just said that it has made the stream.
    private var isMade = false
    /// The newest line that went anywhere, and the number of its message; nil before.
    private var landmark: (part: Int, line: Int, number: Int)?
    /// For how long nothing may be answered that is written without a condition, for it would be
    /// there once more.
    private var silence = LogFiller.patience
    private var phase = Phase.away
    private var pause = Duration.milliseconds(100)
    private var isTroubled = false
    /// How often in a row a line was refused, and none taken.
    private var refusals = 0
    private static let toleratedRefusals = 3
    /// Counts the times that filling has begun, so that answers of an earlier one are not taken for this.
    private var flight = 0
    /// Whether the earlier parts were checked on this connection.
    private var isChecked = false
    /// The last line that an earlier part must have, while that part is checked; nil otherwise.
    private var earlierEnd: Int?
    /// A check of lines that were not confirmed; nil once it is done.
    private var audit: Audit?
    private var isAudited = false
    /// The newest part with a confirmed line, and how many messages it had then.
    private var acknowledged = (part: 0, count: 0)

    /// Fetches messages one after another, to see whether they are ours.
    private struct Audit {
        let part: Int
        let last: Int
        var asked: Int
        var since: Duration
        /// Whether that message was not ours the first time.
        var isDoubted = false
    }

    private enum Phase {
        case away
        /// `part` is that of which a line was refused; nil for none.
        case resting(until: Duration, part: Int? = nil)
        case looking(part: Int, since: Duration)
        case making(part: Int, since: Duration)
        case searching(Search)
        case filling(Place)
        case givenUp
    }

    /// Looks for the first message that is not ours. Those before it are.
    private struct Search {
        let part: Int
        let count: Int
        /// The newest message that is known to be ours, and the oldest that is known not to be.
        var (ours, others): (Int, Int)
        /// The message that is asked for.
        var asked: Int
        var since: Duration
        /// What our lines hash to with those of others behind them, to see whose they are; nil
        /// before.
        var fork: LineChain?
        /// Whether the landmark is asked for.
        var isLandmark = false
        /// Whether messages are asked for one after another.
        var isInOrder = false
        /// The last line that an earlier part must have, and the last one that was found there so
        /// far; nil for the newest part.
        var earlier: (end: Int, reached: Int)?
    }

    private struct Place {
        let part: Int
        /// The line before the part's first.
        let base: Int
        /// The last line that belongs in an earlier part; nil for the newest part.
        let end: Int?
        /// The newest line that is confirmed, and the newest that was sent.
        var stored: Int
        var sent: Int
        var reader: Reader
        /// Whether lines are to stand wherever they come to stand.
        var isAnywhere = false
        /// Whether a line was taken since nothing was under way.
        var isConfirmed = false
        /// When the server has answered last, or something was sent after nothing was under way.
        var progressed: Duration

        var inFlight: Int { sent - stored }
        var window: Int { isConfirmed || isAnywhere ? LogFiller.window : 1 }
    }

    init(_ log: EventLog, isOwn: Bool, proving crypto: any LogCrypto) {
        (self.log, session, self.isOwn, self.crypto) = (log, log.session, isOwn, crypto)
    }

    /// The newest line that the server has confirmed; 0 for none, nil while that is not known.
    var stored: Int? {
        if case .filling(let place) = phase, place.end == nil { place.stored } else { nil }
    }

    /// Whether the server has everything.
    var isComplete: Bool { stored == log.lastSeq }

    /// Whether nothing more goes there.
    var hasGivenUp: Bool { if case .givenUp = phase { true } else { false } }

    // MARK: The server

    func connected(now: Duration) -> [Action] {
        if hasGivenUp { return [] }
        (pause, silence, isChecked) = (.milliseconds(100), Self.patience, false)
        return look(now: now)
    }

    /// There is a server, which is asked with the next tick.
    func awaits(now: Duration) { phase = .resting(until: now) }

    func disconnected() { if !hasGivenUp { phase = .away } }

    /// Nothing more is to go there: what was said in the stream's place is another's.
    func giveUp() { phase = .givenUp }

    private var parts: Int { log.runs.current }

    private func base(of part: Int) -> Int { log.runs.base(ofPart: part) }

    /// Returns the part of a later run that has lost the lines behind `line`; nil for none.
    private func laterPart(than part: Int, from line: Int) -> Int? {
        let lost = (part + 1..<max(parts, part) + 1).filter { base(of: $0) <= line }
        return lost.min { (base(of: $0), -$0) < (base(of: $1), -$1) }
    }

    /// The newest part that is there says how far the stream has come.
    private func look(at part: Int? = nil, now: Duration) -> [Action] {
        earlierEnd = nil
        return look(into: part ?? parts, now: now)
    }

    private func look(into part: Int, now: Duration) -> [Action] {
        phase = .looking(part: part, since: now)
        return [.ask(.look(.log(session, part: part)))]
    }

    private func make(_ part: Int, now: Duration) -> [Action] {
        phase = .making(part: part, since: now)
        return [.ask(.make(.log(session, part: part)))]
    }

    /// The part that is looked at, made or filled; nil for none.
    private var part: Int? {
        switch phase {
        case .looking(let part, _), .making(let part, _): part
        case .filling(let place): place.part
        case .searching(let search): search.part
        case .resting(_, let part): part
        case .away, .givenUp: nil
        }
    }

    /// Takes an answer about one of the log's streams. Those to what was given up are none.
    func take(_ event: BackboneEvent, now: Duration) -> [Action] {
        guard let part, event.stream == .log(session, part: part) else { return [] }
        switch (event, phase) {
        case (.found(_, let count, let newest), .looking):
            guard BackboneStream.messages.contains(count) else {
                rest(now: now)
                return troubled("it counts \(count) messages, which cannot be")
            }
            return found(part, count, newest, now: now)
        case (.missing, .looking):
            if let earlierEnd { return checkParts(before: part, to: earlierEnd, now: now) }
            if part > 1 { return look(at: part - 1, now: now) }
            guard !isMade else {
                isMade = false
                rest(now: now)
                return troubled("it has made the stream, and says that there is none")
            }
            return make(1, now: now)
        case (.made, .making):
            isMade = part == 1
            return earlierEnd == nil
                ? look(at: part, now: now) : look(into: part, now: now)
        case (.failed(_, let why), .looking), (.failed(_, let why), .making),
            (.failed(_, let why), .searching):
            rest(now: now)
            return troubled(why)
        case (.missing, .searching):
            rest(now: now)
            return []
        case (.fetched(_, let number, let message), .searching(let search))
        where number == search.asked:
            return fetched(message, search, now: now)
        case (.fetched(_, let number, let message), .filling(let place)):
            guard let audit, audit.part == place.part, audit.asked == number else { return [] }
            return audited(message, audit, now: now)
        case (.added(_, let line, let number, flight), .filling(var place)):
            guard (place.base + 1...max(place.base + 1, place.sent)).contains(line),
                BackboneStream.messages.contains(number)
            else { return [] }
            place.stored = max(place.stored, line)
            (place.progressed, place.isConfirmed) = (now, true)
            if place.end == nil { landmark = (place.part, place.stored, number) }
            silence = Self.patience
            return confirmed(place, now: now)
        case (.stored(_, let number, flight), .filling(var place)):
            // Whatever it says: more than was sent it does not have.
            guard (1...max(1, place.sent - place.base)).contains(number) else { return [] }
            place.stored = max(place.stored, place.base + number)
            (place.progressed, place.isConfirmed) = (now, true)
            return confirmed(place, now: now)
        case (.stored(_, _, flight), .resting), (.stored(_, _, flight), .looking):
            // A slow server answers after the pause.
            isSuspect = refused != nil
            return []
        case (.refused(_, _, flight, _), .looking):
            refused = refused ?? (part, known)
            return []
        case (.refused(_, _, flight, let why), .filling(let place)):
            rest(now: now, after: place.part)
            refused = (place.part, known)
            refusals += 1
            // An earlier part that takes nothing does not keep the newest lines from readers.
            if place.end != nil, refusals >= Self.toleratedRefusals { isChecked = true }
            return refusals >= Self.toleratedRefusals ? troubled(why) : []
        default: return []
        }
    }

    /// A server that starts, or is overloaded, is not asked without a pause.
    private func rest(now: Duration, after part: Int? = nil) {
        phase = .resting(until: now + pause, part: part)
        pause = min(pause * 2, .seconds(1))
    }

    private func confirmed(_ place: Place, now: Duration) -> [Action] {
        (pause, refusals) = (.milliseconds(100), 0)
        if place.end == nil, !place.isAnywhere, audit == nil {
            acknowledged = (place.part, place.stored - place.base)
        }
        known = max(place.stored - place.base, 0)
        phase = .filling(place)
        if let end = place.end, place.stored >= end {
            return recovered() + checkParts(before: place.part, to: place.base, now: now)
        }
        return recovered() + fill(now: now)
    }

    private func found(_ part: Int, _ count: Int, _ newest: [UInt8], now: Duration) -> [Action] {
        defer { isMade = false }
        if let earlierEnd { return check(part, count, newest, to: earlierEnd, now: now) }
        guard isChecked || base(of: part) == 0 else {
            return checkParts(before: part, to: base(of: part), now: now)
        }
        let base = base(of: part)
        let last = base + count
        // An empty part can begin behind lines that a later run has lost.
        if count == 0, let next = laterPart(than: part, from: base - 1) {
            return make(next, now: now)
        }
        if count == 0 || !isSuspect && isOurs(last, newest) {
            isSuspect = false
            return begin(part, base, after: last, now: now) + audit(part, count, now: now)
        }
        let isSuspect = isSuspect
        self.isSuspect = false
        if !isOwn, last > log.lastSeq, landmark?.part != part {
            return lookBehind(part, count, now: now)
        }
        var search = Search(
            part: part, count: count, ours: 0, others: count + 1, asked: count, since: now)
        if isSuspect, let refused, refused.part == part, refused.ours < count {
            (search.ours, search.asked, search.isInOrder) = (refused.ours, refused.ours + 1, true)
        } else if let landmark, landmark.part == part, landmark.number <= count {
            (search.isLandmark, search.asked) = (true, landmark.number)
        }
        return ask(search, now: now)
    }

    // MARK: Earlier parts

    /// The number of parts that are checked after each new connection, newest first.
    private static let partsChecked = 64

    /// Checks that the parts before `part` have all lines up to where `part` begins.
    ///
    /// A part may be missing: a run that has lost no lines continues in the part of the run before.
    ///
    /// - Parameter end: the last line before `part`. Lines before ``EventLog/firstSeq`` cannot be
    ///   filled.
    private func checkParts(before part: Int, to end: Int, now: Duration) -> [Action] {
        // Also a run behind the newest part that is there may have lost lines.
        let end = (part..<max(parts, part) + 1).reduce(end) { min($0, base(of: $1)) }
        guard end >= log.firstSeq, part > parts - Self.partsChecked else {
            isChecked = true
            return look(now: now)
        }
        earlierEnd = end
        if part > 1 { return look(into: part - 1, now: now) }
        guard !isMade else {
            isMade = false
            rest(now: now)
            return troubled("it has made the stream, and says that there is none")
        }
        return make(1, now: now)
    }

    /// Handles an earlier part that has `count` messages.
    private func check(
        _ part: Int, _ count: Int, _ newest: [UInt8], to end: Int, now: Duration
    ) -> [Action] {
        let base = base(of: part)
        // A later run has lost the lines of this part.
        guard base < end else { return checkParts(before: part, to: end, now: now) }
        let last = base + count
        guard count > 0, !isOurs(last, newest) else {
            return last < end
                ? begin(part, base, after: last, through: end, now: now)
                : checkParts(before: part, to: base, now: now)
        }
        // Others have written into it, or a later run has lost its last lines. Of lines that memory
        // has let go nobody knows any more.
        let unknown = min(max(log.firstSeq - 1 - base, 0), count - 1)
        let search = Search(
            part: part, count: count, ours: unknown, others: count, asked: 0, since: now,
            earlier: (end, base))
        return narrow(search, now: now)
    }

    /// Reads on behind the first message that is not ours, to see how far our lines come there.
    private func readOn(_ search: Search, to earlier: (end: Int, reached: Int), now: Duration)
        -> [Action]
    {
        let base = base(of: search.part)
        guard earlier.reached < earlier.end else {
            return checkParts(before: search.part, to: base, now: now)
        }
        guard search.asked < search.count, search.asked - search.ours < Self.judged else {
            return goOnAnywhere(
                search.part, after: earlier.reached, through: earlier.end, now: now)
        }
        var search = search
        (search.asked, search.isInOrder, search.earlier) = (search.asked + 1, true, earlier)
        return ask(search, now: now)
    }

    private func reach(
        _ message: [UInt8], _ search: Search, from earlier: (end: Int, reached: Int), now: Duration
    ) -> [Action] {
        var earlier = earlier
        if let lines = LineBatch.lines(of: message, packets), lines[0].seq <= earlier.reached + 1,
            lines.allSatisfy({ isOurs($0.seq, $0.payload) })
        {
            earlier.reached = max(earlier.reached, lines[lines.count - 1].seq)
        }
        return readOn(search, to: earlier, now: now)
    }

    // MARK: Lines that were not confirmed

    /// The number of messages that are checked after a start, the newest.
    private static let audited = 256

    /// Begins to check messages that nobody has confirmed, while new lines are sent.
    ///
    /// A stranger's message may have taken the place of a line that was on its way when the program
    /// was killed, the connection was lost, or the answers did not come.
    private func audit(_ part: Int, _ count: Int, now: Duration) -> [Action] {
        guard isOwn else { return [] }
        if acknowledged.part != part { acknowledged = (part, isAudited ? 0 : count) }
        // A server can lose what it had confirmed.
        var first = min(acknowledged.count, count) + 1
        acknowledged.count = first - 1
        if !isAudited, parts > 1 { first = count + 1 - Self.audited }
        isAudited = true
        if let audit, audit.part == part { first = min(first, audit.asked) }
        first = max(first, 1, log.firstSeq - base(of: part), count + 1 - Self.window)
        audit = nil
        guard first <= count else { return [] }
        return ask(Audit(part: part, last: count, asked: first, since: now))
    }

    private func ask(_ audit: Audit) -> [Action] {
        self.audit = audit
        return [.ask(.fetch(.log(session, part: audit.part), number: audit.asked))]
    }

    private func audited(_ message: [UInt8], _ old: Audit, now: Duration) -> [Action] {
        var next = old
        next.since = now
        audit = nil
        guard isOurs(base(of: old.part) + old.asked, message) else {
            // A server that says something wrong once is not to be followed.
            next.isDoubted = true
            guard old.isDoubted else { return ask(next) }
            (isSuspect, refused) = (true, (old.part, old.asked - 1))
            return look(now: now)
        }
        (next.asked, next.isDoubted) = (old.asked + 1, false)
        guard old.asked == old.last else { return ask(next) }
        acknowledged = (old.part, old.last)
        return []
    }

    // MARK: Messages of others

    /// More is there of another's log than this machine has: lines that somebody else has brought,
    /// or messages of strangers.
    private func lookBehind(_ part: Int, _ count: Int, now: Duration) -> [Action] {
        let known = min(max(log.lastSeq - base(of: part), 0), count)
        let search = Search(
            part: part, count: count, ours: 0, others: known + 1, asked: known, since: now)
        return known == 0 ? end(search, now: now) : ask(search, now: now)
    }

    private func ask(_ search: Search, now: Duration) -> [Action] {
        var search = search
        search.since = now
        phase = .searching(search)
        return [.ask(.fetch(.log(session, part: search.part), number: search.asked))]
    }

    private func fetched(_ message: [UInt8], _ old: Search, now: Duration) -> [Action] {
        var search = old
        if search.fork != nil { return judge(message, search, now: now) }
        if let earlier = search.earlier, search.isInOrder {
            return reach(message, search, from: earlier, now: now)
        }
        if search.isLandmark {
            search.isLandmark = false
            if let landmark, isBatchOfOurs(message, endingWith: landmark.line) {
                return goOnAnywhere(search.part, after: landmark.line, now: now)
            }
        } else if isOurs(base(of: search.part) + search.asked, message) {
            search.ours = search.asked
        } else {
            search.others = search.asked
        }
        return narrow(search, now: now)
    }

    private func narrow(_ old: Search, now: Duration) -> [Action] {
        guard old.others - old.ours > 1 else { return end(old, now: now) }
        var search = old
        let half = (search.others - search.ours) / 2
        search.asked = search.ours + (search.isInOrder ? 1 : half)
        return ask(search, now: now)
    }

    private func isBatchOfOurs(_ message: [UInt8], endingWith line: Int) -> Bool {
        guard let last = LineBatch.lines(of: message, packets)?.last, last.seq == line else {
            return false
        }
        return isOurs(line, last.payload)
    }

    /// All messages through `ours` are ours, and the next one is not.
    private func end(_ search: Search, now: Duration) -> [Action] {
        let (part, last) = (search.part, base(of: search.part) + search.ours)
        if let earlier = search.earlier {
            var search = search
            search.asked = search.ours
            return readOn(search, to: (earlier.end, last), now: now)
        }
        guard search.ours < search.count else {
            return begin(part, base(of: part), after: last, now: now)
        }
        if let next = laterPart(than: part, from: last) { return make(next, now: now) }
        guard let hash = log.hash(before: last + 1) else {
            return goOnAnywhere(part, after: last, now: now)
        }
        var search = search
        search.fork = LineChain(of: session, after: last, hash, by: crypto)
        search.asked = search.ours + 1
        return ask(search, now: now)
    }

    /// How many lines of another's are looked at before somebody's signature.
    private static let judged = 256

    /// Whether our key has signed what is there in the place of our lines, in this run or a later
    /// one.
    private func judge(_ message: [UInt8], _ old: Search, now: Duration) -> [Action] {
        var search = old
        let last = base(of: search.part) + search.ours
        guard !isOurs(last + 1, message) else {
            // The first answer about this message was wrong.
            isSuspect = search.isInOrder
            rest(now: now)
            return []
        }
        guard var chain = search.fork, let line = LineBatch.lines(of: message, packets)?.first,
            line.seq == chain.seq + 1, line.seq - last <= Self.judged
        else { return goOnAnywhere(search.part, after: last, now: now) }
        let signature = line.payload.withUnsafeBytes { payload in
            chain.append(SignedPayload(payload))
            return SignedPayload(payload).signature
        }
        guard let signature else {
            (search.fork, search.asked) = (chain, search.asked + 1)
            guard search.asked <= search.count else {
                return goOnAnywhere(search.part, after: last, now: now)
            }
            return ask(search, now: now)
        }
        let verifier = WrittenLog(log, proving: crypto).verifier
        let isForked = (parts...min(parts + 8, Limits.runs)).contains { run in
            verifier?.accepts(signature, of: LogStatement.line(chain, run: run)) == true
        }
        guard isForked else { return goOnAnywhere(search.part, after: last, now: now) }
        guard isOwn || chain.seq <= log.lastSeq else {
            // Somebody else has brought lines that are not here yet.
            phase = .resting(until: now + Self.patience)
            return []
        }
        phase = .givenUp
        return isOwn ? [.report(.foreign)] : []
    }

    /// Lines follow behind what others have written, from behind the newest signature.
    private func goOnAnywhere(
        _ part: Int, after line: Int, through end: Int? = nil, now: Duration
    ) -> [Action] {
        audit = nil
        let base = base(of: part)
        var start = min(line, log.lastSeq)
        while start > base, start >= log.firstSeq, !isSealed(start) { start -= 1 }
        let told: [Action] = isFouledTold || !isOwn ? [] : [.report(.fouled)]
        isFouledTold = true
        return told + begin(part, base, after: start, through: end, anywhere: true, now: now)
    }

    private func isSealed(_ line: Int) -> Bool {
        var isSealed = false
        log.forEachPayload(from: line, through: line) { isSealed = SignedPayload($1).isSigned }
        return isSealed
    }

    /// Of a line that memory has let go nobody knows any more.
    private func isOurs(_ line: Int, _ payload: [UInt8]) -> Bool {
        guard line <= log.lastSeq else { return false }
        var isOurs = line == log.firstSeq - 1
        log.forEachPayload(from: line, through: line) { _, own in
            isOurs = own.elementsEqual(payload)
        }
        return isOurs
    }

    private func begin(
        _ part: Int, _ base: Int, after last: Int, through end: Int? = nil,
        anywhere isAnywhere: Bool = false, now: Duration
    ) -> [Action] {
        flight += 1
        (refused, known) = (nil, max(last - base, 0))
        phase = .filling(
            Place(
                part: part, base: base, end: end, stored: last, sent: last,
                reader: log.reader(after: last), isAnywhere: isAnywhere, progressed: now))
        // Where lines were refused, one that is not shows that it is over.
        return (refusals == 0 ? recovered() : []) + fill(now: now)
    }

    private func troubled(_ why: String) -> [Action] {
        guard !isTroubled else { return [] }
        isTroubled = true
        return [.report(.trouble(why))]
    }

    private func recovered() -> [Action] {
        guard isTroubled else { return [] }
        isTroubled = false
        return [.report(.recovered)]
    }

    // MARK: Filling

    /// There may be something to be sent.
    func fill(now: Duration) -> [Action] {
        guard case .filling(var place) = phase else { return [] }
        var actions: [Action] = []
        while place.inFlight < place.window, place.sent < place.end ?? .max {
            if let gap = place.reader.gap(in: log), gap.upperBound > place.sent {
                if place.end != nil {
                    return checkParts(before: place.part, to: place.base, now: now)
                }
                phase = .givenUp
                return [.report(.linesGone(gap))]
            }
            let frames = log.frames(at: place.reader.cursor)
            if frames.isEmpty { break }
            if place.inFlight == 0 { place.progressed = now }
            if place.isAnywhere {
                guard let message = nextBatch(&place) else { break }
                actions.append(.ask(message))
                continue
            }
            var (count, walk) = (0, FrameWalk(frames))
            while place.inFlight < place.window, place.sent < place.end ?? .max,
                let payload = walk.next()
            {
                place.sent += 1
                count += FrameDecoder.prefixLength + payload.count
                actions.append(
                    .ask(
                        .append(
                            .log(session, part: place.part), number: place.sent - place.base,
                            flight: flight, Array(payload))))
            }
            place.reader.advance(count, in: log)
        }
        if place.inFlight == 0 { place.isConfirmed = false }
        guard place.end == nil else {
            phase = .filling(place)
            return actions
        }
        let subject = BackboneEntry.partials(of: session)
        for frame in place.reader.partials(in: log) {
            actions.append(.ask(.say(subject, Array(frame.dropFirst(FrameDecoder.prefixLength)))))
        }
        phase = .filling(place)
        return actions
    }

    /// The lines up to the next signature, which go there as one message; nil where that is not
    /// signed yet.
    private func nextBatch(_ place: inout Place) -> BackboneRequest? {
        var (payloads, isWhole) = ([[UInt8]](), false)
        var cursor = place.reader.cursor
        while !isWhole {
            let frames = log.frames(at: cursor)
            if frames.isEmpty { return nil }
            var walk = FrameWalk(frames)
            while !isWhole, let payload = walk.next() {
                payloads.append(Array(payload))
                // The next run may have begun amid lines that one signature proves.
                isWhole =
                    SignedPayload(payload).isSigned || place.sent + payloads.count == place.end
                log.advance(&cursor, by: FrameDecoder.prefixLength + payload.count)
            }
        }
        for payload in payloads {
            place.reader.advance(FrameDecoder.prefixLength + payload.count, in: log)
        }
        place.sent += payloads.count
        return .add(
            .log(session, part: place.part), line: place.sent, flight: flight,
            LineBatch.message(of: payloads))
    }

    // MARK: Time

    func tick(now: Duration) -> [Action] {
        switch phase {
        case .searching(let search) where now - search.since >= Self.requestPatience:
            return look(now: now)
        case .resting(let until, _) where until <= now: return look(now: now)
        case .looking(_, let since) where now - since >= Self.requestPatience,
            .making(_, let since) where now - since >= Self.requestPatience:
            return look(now: now)
        case .filling(let place) where isSilent(place, now: now):
            if place.isAnywhere { silence = min(silence * 2, Self.longestPatience) }
            return look(now: now)
        case .filling(let place):
            guard var audit, audit.part == place.part, now - audit.since >= Self.requestPatience
            else { return fill(now: now) }
            audit.since = now
            return ask(audit) + fill(now: now)
        default: return []
        }
    }

    /// Whether nothing has been answered for too long.
    private func isSilent(_ place: Place, now: Duration) -> Bool {
        let patience = place.isAnywhere ? silence : Self.patience
        return place.inFlight > 0 && now - place.progressed >= patience
    }
}
