import FoundationEssentials

/// Brings a log to the server that keeps it: its writer's transcript is the truth, and the stream a copy.
///
///     away ---- connected ----> looking ---- ours ----> filling ---- refused, silent for 1 s ----> looking
///                                  |  '---- no stream ----> making ----^
///                                  '------- another's ----> given up
///
/// A line's condition is how many are there before it, not which: of two writers who send several at once each
/// could have a line behind the other's. So the first of several goes alone, and who has one taken behind one
/// that was refused knows that he is not alone.
///
/// Invariant: line n of the stream is line n of the log, for every line that is confirmed; where another has
/// written a line, nothing more is written.
final class LogFiller {
    enum Action: Equatable {
        case ask(BackboneRequest)
        case report(Outcome)
    }

    /// What becomes of a log at the server.
    enum Outcome: Equatable {
        /// Somebody else writes it there: nothing more goes there.
        case foreign
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
    /// How long a request may take.
    static let requestPatience = Duration.seconds(5)

    let log: EventLog
    private let session: UUID
    /// Whether nobody else may write it.
    private let isOwn: Bool
    private var phase = Phase.away
    private var pause = Duration.milliseconds(100)
    private var isTroubled = false
    /// How often in a row a line was refused, and none taken.
    private var refusals = 0
    private static let toleratedRefusals = 3
    /// Counts the times that filling has begun, so that answers of an earlier one are not taken for this.
    private var flight = 0

    private enum Phase {
        case away
        /// `part` is that of which a line was refused; nil for none.
        case resting(until: Duration, part: Int? = nil)
        case looking(part: Int, since: Duration)
        case making(part: Int, since: Duration)
        case filling(Place)
        case givenUp
    }

    private struct Place {
        let part: Int
        /// The line before the part's first.
        let base: Int
        /// The newest line that is confirmed, and the newest that was sent.
        var stored: Int
        var sent: Int
        var reader: Reader
        /// Whether a line was taken since nothing was under way.
        var isConfirmed = false
        /// When the server has answered last, or something was sent after nothing was under way.
        var progressed: Duration

        var inFlight: Int { sent - stored }
        var window: Int { isConfirmed ? LogFiller.window : 1 }
    }

    init(_ log: EventLog, isOwn: Bool) {
        (self.log, session, self.isOwn) = (log, log.session, isOwn)
    }

    /// The newest line that the server has confirmed; 0 for none, nil while that is not known.
    var stored: Int? { if case .filling(let place) = phase { place.stored } else { nil } }

    /// Whether the server has everything.
    var isComplete: Bool { stored == log.lastSeq }

    /// Whether nothing more goes there.
    var hasGivenUp: Bool { if case .givenUp = phase { true } else { false } }

    // MARK: The server

    func connected(now: Duration) -> [Action] {
        if hasGivenUp { return [] }
        pause = .milliseconds(100)
        return look(now: now)
    }

    /// There is a server, which is asked with the next tick.
    func awaits(now: Duration) { phase = .resting(until: now) }

    func disconnected() { if !hasGivenUp { phase = .away } }

    /// Nothing more is to go there: what was said in the stream's place is another's.
    func giveUp() { phase = .givenUp }

    private var parts: Int { log.runs.current }

    private func base(of part: Int) -> Int { log.runs.base(ofPart: part) }

    /// The newest part that is there says how far the stream has come.
    private func look(at part: Int? = nil, now: Duration) -> [Action] {
        let part = part ?? parts
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
            return part > 1 ? look(at: part - 1, now: now) : make(1, now: now)
        case (.made, .making): return look(at: part, now: now)
        case (.failed(_, let why), .looking), (.failed(_, let why), .making):
            rest(now: now)
            return troubled(why)
        case (.stored(_, let number, flight), .filling(var place)):
            // Whatever it says: more than was sent it does not have.
            guard (1...max(1, place.sent - place.base)).contains(number) else { return [] }
            place.stored = max(place.stored, place.base + number)
            (place.progressed, place.isConfirmed) = (now, true)
            phase = .filling(place)
            (pause, refusals) = (.milliseconds(100), 0)
            return recovered() + fill(now: now)
        case (.stored(_, _, flight), .resting):
            phase = .givenUp
            return [.report(.foreign)]
        case (.refused(_, _, flight, let why), .filling(let place)):
            rest(now: now, after: place.part)
            refusals += 1
            return refusals >= Self.toleratedRefusals ? troubled(why) : []
        default: return []
        }
    }

    /// A server that starts, or is overloaded, is not asked without a pause.
    private func rest(now: Duration, after part: Int? = nil) {
        phase = .resting(until: now + pause, part: part)
        pause = min(pause * 2, .seconds(1))
    }

    private func found(_ part: Int, _ count: Int, _ newest: [UInt8], now: Duration) -> [Action] {
        let base = base(of: part)
        let last = base + count
        if count == 0 || isOurs(last, newest) { return begin(part, base, after: last, now: now) }
        // Whoever brings another's log may have less of it than is there.
        if !isOwn, last > log.lastSeq {
            phase = .resting(until: now + Self.patience)
            return []
        }
        let lost = (part + 1..<max(parts, part) + 1).filter { self.base(of: $0) < last }
        if let next = lost.min(by: { (self.base(of: $0), -$0) < (self.base(of: $1), -$1) }) {
            return make(next, now: now)
        }
        phase = .givenUp
        return isOwn ? [.report(.foreign)] : []
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

    private func begin(_ part: Int, _ base: Int, after last: Int, now: Duration) -> [Action] {
        flight += 1
        phase = .filling(
            Place(
                part: part, base: base, stored: last, sent: last, reader: log.reader(after: last),
                progressed: now))
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
        while place.inFlight < place.window {
            if let gap = place.reader.gap(in: log), gap.upperBound > place.sent {
                phase = .givenUp
                return [.report(.linesGone(gap))]
            }
            let frames = log.frames(at: place.reader.cursor)
            if frames.isEmpty { break }
            if place.inFlight == 0 { place.progressed = now }
            var (count, walk) = (0, FrameWalk(frames))
            while place.inFlight < place.window, let payload = walk.next() {
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
        let subject = BackboneEntry.partials(of: session)
        for frame in place.reader.partials(in: log) {
            actions.append(.ask(.say(subject, Array(frame.dropFirst(FrameDecoder.prefixLength)))))
        }
        phase = .filling(place)
        return actions
    }

    // MARK: Time

    func tick(now: Duration) -> [Action] {
        switch phase {
        case .resting(let until, _) where until <= now: return look(now: now)
        case .looking(_, let since) where now - since >= Self.requestPatience,
            .making(_, let since) where now - since >= Self.requestPatience:
            return look(now: now)
        case .filling(let place)
        where place.inFlight > 0 && now - place.progressed >= Self.patience:
            return look(now: now)
        case .filling: return fill(now: now)
        default: return []
        }
    }
}
