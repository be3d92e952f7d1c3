import BeamscribeCore

/// Which lines a caption service gets next, under which number, and when: everything about it but
/// the sending.
///
/// Invariant: of the lines from `position.after` on that came, each is in the post under way, or
/// waits, or has been counted as dropped or refused; none is in two posts with different numbers.
struct CaptionDelivery {
    /// What a service can take.
    struct Rules: Equatable {
        /// The shortest time from a post that was taken to the next one.
        var pause: Duration
        /// The most that is in one post, in bytes of UTF-8. A longer line comes as several pieces.
        var bytes: Int
    }

    /// What there is to do.
    enum Step: Equatable {
        /// Nothing, until lines come.
        case rest
        /// Nothing for this long.
        case wait(Duration)
        /// The service is to be asked for the number of the last post that it has.
        case ask
        case send(CaptionPost)
    }

    /// What became of a post.
    enum Answer: Equatable {
        case taken
        /// It was not taken, and is to be sent again.
        case refused(String)
        /// Nobody knows whether it was taken.
        case unanswered(String)
        /// It will not be taken, ever.
        case unwanted(String)
    }

    /// What is to be said of it.
    enum News: Equatable {
        /// The first trouble after things went well.
        case trouble(String)
        /// The first lines that nobody wants, after things went well.
        case unwanted(String)
        case recovered
    }

    private let rules: Rules
    private(set) var position: CaptionPosition
    private var hasJoined = false
    private var corrections = Corrections()
    /// Of the event's other logs, by their sessions.
    private var othersCorrections: [String: Corrections] = [:]
    /// The newest line of each that came, of those of which something was to be sent.
    private var othersNewest: [String: Int] = [:]
    /// The newest line that came.
    private var newest = 0
    private var waiting: [CaptionPiece] = []
    private var post: CaptionPost?
    /// Whether the number of the last post that the service has is worth a question.
    private var isInDoubt = true
    /// Whether the service could not say whether it has the post under way.
    private var isOpen = false
    private var failures = 0
    /// Nothing is sent before then.
    private var earliest = Duration.zero
    /// What was said last of it; nil while things go well.
    private var told: News?
    private var isEnding = false
    /// Lines that gave way to newer ones.
    private(set) var dropped = 0
    /// Why the last post was not taken.
    private(set) var trouble: String?

    /// - Parameter position: what an earlier run has left; nil where there was none.
    init(_ rules: Rules, after position: CaptionPosition?) {
        self.rules = rules
        self.position = position ?? CaptionPosition()
    }

    // MARK: Lines

    /// Takes in what comes from the host.
    ///
    /// - Returns: whether this made the first line go that gives way to newer ones.
    mutating func take(_ events: [GuestEvent]) -> Bool {
        let before = dropped
        for event in events {
            switch event {
            case .joined(let event): join(event)
            case .line(let line): take(line)
            case .withdrawn(let from, _): forgetNumbers(from: from)
            case .begunAnew:
                forgetNumbers(from: 1)
                corrections = Corrections()
            case .inLog(let log, .line(let line)): take(line, of: log)
            case .inLog(let log, .withdrawn(let from, _)): forgetNumbers(from: from, in: log)
            default: break
            }
        }
        return before == 0 && dropped > 0
    }

    private mutating func join(_ event: JoinedEvent) {
        defer { hasJoined = true }
        if position.goesOn(in: event) { return }
        // What was said before is old to whoever reads there; of an event that was begun anew while
        // this guest took part nothing is.
        position.begin(event, after: hasJoined ? 0 : event.history)
        newest = 0
        (othersCorrections, othersNewest) = ([:], [:])
    }

    private mutating func take(_ line: TranscriptLine) {
        let corrected = corrections.add(line) ?? line.replaces ?? 0
        newest = max(newest, line.seq)
        if (1..<line.seq).contains(corrected) { return replace(corrected, by: line) }
        guard line.seq > position.after else { return }
        waiting += CaptionPiece.pieces(of: line, number: line.seq, bytes: rules.bytes)
        if waiting.count > Limits.unsentCaptions { dropOldest() }
    }

    // MARK: Lines of other logs

    /// What was said before this guest came is old as well, and nobody tells where that ends but its age.
    private mutating func take(_ line: TranscriptLine, of log: LogTitle) {
        let session = log.session
        let corrected =
            othersCorrections[session, default: Corrections()].add(line) ?? line.replaces ?? 0
        let last = max(othersNewest[session] ?? 0, position.last(in: session) ?? 0)
        guard line.seq > last else { return }
        if (1..<line.seq).contains(corrected) { return replace(corrected, by: line, in: log) }
        guard last > 0 || line.latency <= Limits.orderedAge else { return }
        othersNewest[session] = line.seq
        waiting += CaptionPiece.pieces(of: line, number: line.seq, in: log, bytes: rules.bytes)
        if waiting.count > Limits.unsentCaptions { dropOldest() }
    }

    private mutating func replace(_ number: Int, by line: TranscriptLine, in log: LogTitle) {
        let place = CaptionPiece.Place(session: log.session, seq: number)
        guard let first = waiting.firstIndex(where: { $0.other == place }), waiting[first].isFirst
        else { return }
        let end = waiting[first...].firstIndex { $0.other != place } ?? waiting.endIndex
        let pieces = CaptionPiece.pieces(of: line, number: number, in: log, bytes: rules.bytes)
        waiting.replaceSubrange(first..<end, with: pieces)
    }

    private mutating func forgetNumbers(from seq: Int, in log: LogTitle) {
        let session = log.session
        othersCorrections[session]?.forget(from: seq)
        for index in waiting.indices where waiting[index].isOf(session, from: seq) {
            waiting[index].other = nil
        }
        for index in post?.pieces.indices ?? 0..<0
        where post?.pieces[index].isOf(session, from: seq) == true {
            post?.pieces[index].other = nil
        }
        position.withdraw(from: seq, in: session)
        othersNewest[session] = othersNewest[session].map { min($0, seq - 1) }
    }

    /// A line that waits is mended there. What was sent, or is about to be, cannot be taken back.
    private mutating func replace(_ number: Int, by line: TranscriptLine) {
        guard let first = waiting.firstIndex(where: { $0.seq == number }), waiting[first].isFirst
        else { return }
        let end = waiting[first...].firstIndex { $0.seq != number } ?? waiting.endIndex
        waiting.replaceSubrange(
            first..<end, with: CaptionPiece.pieces(of: line, number: number, bytes: rules.bytes))
    }

    private mutating func dropOldest() {
        waiting.removeFirst(
            waiting.dropFirst().firstIndex { $0.isFirst } ?? waiting.endIndex)
        dropped += 1
    }

    /// The host has lost these lines, and gives their numbers to others. They were said, and shown.
    private mutating func forgetNumbers(from seq: Int) {
        corrections.forget(from: seq)
        for index in waiting.indices where waiting[index].seq >= seq { waiting[index].seq = 0 }
        for index in post?.pieces.indices ?? 0..<0 where post?.pieces[index].seq ?? 0 >= seq {
            post?.pieces[index].seq = 0
        }
        position.withdraw(from: seq)
        newest = min(newest, seq - 1)
    }

    // MARK: Posts

    /// What to do now. A post is the same one until something was answered.
    mutating func next(_ now: Duration) -> Step {
        if isEnding, failures > 0 { return .rest }
        guard post != nil || isReady else { return .rest }
        guard now >= earliest else { return .wait(earliest - now) }
        if isInDoubt { return .ask }
        let next = post ?? compose()
        post = next
        position.sends(through: next.last)
        return .send(next)
    }

    /// Lines of a post that an earlier run has begun are sent together once more.
    private var isReady: Bool { !waiting.isEmpty && newest >= position.through }

    private mutating func compose() -> CaptionPost {
        let isBegun = position.unsettled != nil && waiting[0].seq <= position.through
        let limit = isBegun ? position.through : .max
        var count = 0
        var bytes = 0
        for piece in waiting {
            bytes += piece.text.utf8.count + 1
            let fits = bytes <= rules.bytes && piece.lang == waiting[0].lang && piece.seq <= limit
            guard count == 0 || fits else { break }
            count += 1
        }
        defer { waiting.removeFirst(count) }
        return CaptionPost(number: position.next, pieces: Array(waiting.prefix(count)))
    }

    /// The service has said the number of the last post that it has; nil where it does not tell.
    mutating func told(_ number: Int?, _ now: Duration) -> News? {
        isInDoubt = false
        isOpen = number == nil && post != nil
        guard let number else { return nil }
        defer { position.next = number + 1 }
        if number >= position.next, let through = post?.last ?? position.unsettled {
            passed(through)
            waiting.removeAll { (1..<through + 1).contains($0.seq) }
            return succeeded(now)
        }
        post?.number = number + 1
        return nil
    }

    /// The post under way has been answered.
    mutating func finish(_ answer: Answer, _ now: Duration) -> News? {
        switch answer {
        case .taken:
            position.next += 1
            return settle(now)
        case .unwanted(let why):
            let news = News.unwanted(why)
            let isKnown = told == news
            _ = settle(now)
            told = news
            return isKnown ? nil : news
        case .refused(let why), .unanswered(let why):
            if case .unanswered = answer { isInDoubt = true }
            if isOpen { isInDoubt = true }
            return failed(why, now)
        }
    }

    private mutating func settle(_ now: Duration) -> News? {
        if let last = post?.last { passed(last) }
        return succeeded(now)
    }

    /// What is under way is done with, and all lines of the main log up to this one.
    private mutating func passed(_ last: Int) {
        position.passed(last)
        for other in post?.others ?? [] { position.passed(other) }
        post = nil
    }

    private mutating func succeeded(_ now: Duration) -> News? {
        defer { (told, trouble, failures, isOpen) = (nil, nil, 0, false) }
        earliest = now + rules.pause
        return told == nil ? nil : .recovered
    }

    private mutating func failed(_ why: String, _ now: Duration) -> News? {
        trouble = why
        let pause = Limits.serviceRetry * (1 << min(failures, 16))
        earliest = now + min(pause, Limits.serviceLongestRetry)
        failures += 1
        if case .trouble = told { return nil }
        told = .trouble(why)
        return told
    }

    // MARK: The end

    /// No more lines come: what waits for better times is tried once more, now.
    mutating func end() {
        guard !isEnding else { return }
        isEnding = true
        if failures > 0 { (failures, earliest) = (0, .zero) }
    }

    /// Lines that the service has not taken.
    var left: Int {
        let pieces = (post?.pieces ?? []) + waiting
        return pieces.dropFirst().count(where: \.isFirst) + (pieces.isEmpty ? 0 : 1)
    }
}

extension CaptionPiece {
    /// Whether it is of a line of that log, from a number on.
    fileprivate func isOf(_ log: String, from seq: Int) -> Bool {
        other.map { $0.session == log && $0.seq >= seq } ?? false
    }
}
