/// What goes to and fro over a guest's connection of the event's logs besides the main one: what comes, what is
/// asked for, and what is brought to whoever serves the event.
///
///     connection ---- log, grant, head, in, fullHistory, liveChunk ----> Shelf ----> reader
///     connection <---- read, unread ------------------------------------ Shelf
///     connection <---- log, head, in, fullHistory, liveChunk ----------- OfferedLogs <---- EventLog
///
/// Invariant: nothing is asked for or offered but while a connection stands, from ``connected()`` to
/// ``disconnected(now:)``; what was asked of one is not held against the next.
final class LogExchange {
    typealias Action = GuestSession.Action

    /// The event's other logs; nil for who reads the main one alone.
    private let shelf: Shelf?
    /// What the shelf calls this connection.
    private let link: Shelf.Link
    /// Logs that are brought to whoever serves the event.
    private let offered = OfferedLogs()
    private let timing: Timing
    private var isConnected = false
    /// What the other side was asked for.
    private var requests = RequestsUnderWay()
    /// Logs of the event that the other side does not bring.
    private var lacked = LackedLogs()
    private let encoder = FrameEncoder()

    init(_ shelf: Shelf?, by link: Shelf.Link, _ timing: Timing) {
        (self.shelf, self.link, self.timing) = (shelf, link, timing)
    }

    // MARK: Connections

    /// Whoever serves the event has let the guest in.
    func connected() {
        (isConnected, requests) = (true, RequestsUnderWay())
        lacked.begin()
    }

    /// It is known by this connection which event it is.
    ///
    /// - Parameter place: the highest that its main log tells of.
    func begin(in event: Shelf.Event, at place: Int, now: Moment) -> [Action] {
        shelf?.open(event)
        return beginOffer(at: place, now: now)
    }

    /// A head of the main log names logs whose writers were put out.
    func take(_ putOut: [LogHead.PutOutLog], now: Moment) -> [Action] {
        perform(shelf?.take(putOut, now: now) ?? [])
    }

    /// The connection is gone, if there was one.
    func disconnected(now: Moment) -> [Action] {
        isConnected = false
        offered.end()
        return perform(shelf?.ended(link, now: now) ?? [])
    }

    /// Nothing comes any more.
    func close() -> [Action] {
        isConnected = false
        offered.end()
        return perform(shelf?.close() ?? [])
    }

    // MARK: What the reader is told

    /// Gives what was kept.
    func reportKept(now: Moment) -> [Action] { perform(shelf?.reportKept(now: now) ?? []) }

    /// Something of the main log for the reader. What is written here comes behind all that was seen of others.
    func told(_ event: GuestEvent) -> Action {
        if case .line(let line) = event { offered.note(place: line.at, isMain: true) }
        return .report(shelf?.placed(event, isMain: true) ?? event)
    }

    private func perform(_ outcomes: [Shelf.Outcome]) -> [Action] {
        let reports = outcomes.compactMap { outcome -> Action? in
            guard case .event(let event) = outcome else { return nil }
            if case .inLog(_, .line(let line)) = event { offered.note(place: line.at) }
            return .report(event)
        }
        return reports + ask()
    }

    /// Says which logs are read by this connection from now on, and which are not.
    func ask() -> [Action] {
        guard isConnected, let shelf else { return [] }
        return shelf.takeUnsaid(to: link).flatMap { packet in
            if case .read = packet { requests.asked() }
            return encoder.sending(packet)
        }
    }

    // MARK: What is brought there

    /// Offers a log that is written here, now and whenever there is another connection.
    ///
    /// - Parameters:
    ///   - event: which it is, where that is known.
    ///   - place: the highest that its main log tells of.
    func offer(_ log: EventLog, in event: Shelf.Event?, at place: Int, now: Moment) -> [Action] {
        offered.offer(log)
        shelf?.write(log)
        guard event != nil, isConnected else { return [] }
        return encoder.sending(.unread(LogMention(log.session.wireName)))
            + beginOffer(at: place, now: now)
    }

    private func beginOffer(at place: Int, now: Moment) -> [Action] {
        offered.note(place: max(place, shelf?.order.highest ?? 0))
        let grant = offered.own.flatMap { shelf?.grant(of: $0.log.session.wireName) }
        offered.begin(lettingIn: grant, timing, now: now)
        return offered.own == nil ? [] : [.pull]
    }

    /// Something was said in the log that is written here, or it stands in another way.
    func hasChanged(in event: Shelf.Event?, now: Moment) -> [Action] {
        guard isConnected, event != nil, offered.own != nil else { return [] }
        offered.tick(timing, now: now)
        return [.pull]
    }

    /// What those who are served here have brought: whoever reads here is told, and it is passed on.
    func heardElsewhere(in event: Shelf.Event?, now: Moment) -> [Action] {
        guard let shelf else { return [] }
        let told = perform(shelf.takeUntold().map { .event($0) })
        guard isConnected, event != nil else { return told }
        return told + passOn(now: now)
    }

    /// Offers what there is for the other side.
    func passOn(now: Moment) -> [Action] {
        guard isConnected, let shelf else { return [] }
        let isNews = offered.passOn(
            shelf.served(to: link, now: now.uptime), askingFor: shelf.askedForByGuests,
            headsEvery: shelf.headPause, timing, now: now)
        return isNews ? [.pull] : []
    }

    /// What is to be sent next, at most about `limit` bytes; empty for nothing.
    func output(limit: Int) -> [UInt8] { isConnected ? offered.output(limit: limit) : [] }

    /// Whether the other side reads what is written here.
    var isRead: Bool { isConnected && offered.own?.isRead == true }

    /// Whether all of it has been given out, of a log that is read.
    var isSent: Bool { offered.own.map { $0.isRead && $0.isDrained } ?? true }

    /// The lines of it that did not get there before the event ended; nil for none.
    var notTaken: ClosedRange<Int>? { offered.own?.notTaken }

    // MARK: What comes

    /// Whether the captions that come now are of the main log.
    var isMain: Bool { shelf?.isMain(link) ?? true }

    /// Takes a caption of another log.
    func take(
        _ chunk: LiveChunk, as payload: UnsafeRawBufferPointer, now: Moment,
        _ actions: inout [Action]
    ) throws(GuestViolation) {
        try shelve(&actions) { shelf, outcomes throws(GuestViolation) in
            try shelf.take(chunk, as: payload, from: link, now: now, &outcomes)
        }
    }

    /// Takes what is none of the main log's own.
    ///
    /// - Parameters:
    ///   - session: the main log.
    ///   - response: what to do where the other side says that lines are gone.
    /// - Returns: false for what is the main log's, or of the connection.
    func take(
        _ packet: Packet, as payload: UnsafeRawBufferPointer, besides session: String?,
        onGap response: GapResponse, now: Moment, _ actions: inout [Action]
    ) throws(GuestViolation) -> Bool {
        switch packet {
        case .log(let record) where record.session != session:
            actions += perform(try shelf?.take(record, as: payload, from: link, now: now) ?? [])
        case .grant(let grant):
            actions += perform(try shelf?.take(grant, as: payload, from: link, now: now) ?? [])
        case .inLog(let mention): shelf?.take(mention, from: link)
        case .read(let request):
            if offered.take(request) { actions.append(.report(.isRead)) }
            actions.append(.pull)
        case .unread(let mention): offered.take(mention)
        case .head(let head) where head.session != session:
            try shelve(&actions) { shelf, outcomes throws(GuestViolation) in
                try shelf.take(head, as: payload, from: link, now: now, &outcomes)
            }
        case .fullHistory(let history) where shelf?.has(history.session) == true:
            try shelve(&actions) { shelf, outcomes throws(GuestViolation) in
                try shelf.take(
                    history, from: link, onGap: response, now: now, &outcomes)
            }
        default: return false
        }
        return true
    }

    /// Gives out what the end of what came has proven.
    ///
    /// - Parameter mayWait: whether more of it may come by this connection.
    func settle(mayWait: Bool, now: Moment, _ actions: inout [Action]) throws(GuestViolation) {
        try shelve(&actions) { shelf, outcomes throws(GuestViolation) in
            try shelf.settle(link, mayWait: mayWait, now: now, &outcomes)
        }
    }

    /// Does what comes of something that is said of another log, also of the beginning of what ends with a
    /// violation.
    private func shelve(
        _ actions: inout [Action],
        _ take: (Shelf, inout [Shelf.Outcome]) throws(GuestViolation) -> Void
    ) throws(GuestViolation) {
        guard let shelf else { return }
        var outcomes: [Shelf.Outcome] = []
        defer { actions += perform(outcomes) }
        try take(shelf, &outcomes)
    }

    // MARK: Time

    /// Time has passed: how the logs stand may be news.
    func tick(now: Moment) -> [Action] { perform(shelf?.tick(now: now) ?? []) }

    /// Asks again for lines of which their writers have told, and that do not come.
    ///
    /// - Parameter time: for how long none has come.
    /// - Throws: where the other side keeps them back.
    func requestLacking(for time: Duration, now: Moment) throws(GuestViolation) -> [Action] {
        try shelf?.requestLacking(from: link, for: time, requests, now: now)
        return ask()
    }

    /// Returns the number of logs that the event's host offers and that do not come, or come
    /// without their lines, once they have been missing for ``Limits/logsLacked``.
    ///
    /// - Parameters:
    ///   - offered: how many it offers; nil where it does not say.
    ///   - isCaughtUp: whether the main log is here, so that nothing waits behind that.
    /// - Returns: nil for no news: a number is told once.
    func newlyLackedLogs(of offered: Int?, isCaughtUp: Bool, now: Duration) -> Int? {
        guard let shelf, let offered, isCaughtUp else {
            lacked.begin()
            return nil
        }
        let count = shelf.lackedLogs(of: offered) + shelf.logsWithoutLines(from: link)
        return lacked.news(of: count, now: now)
    }

    /// Returns the number of missing logs if the reader was told of fewer; nil otherwise. For the
    /// event's end.
    func lackedLogsAtEnd(of offered: Int?) -> Int? {
        guard let shelf, let offered, case let count = shelf.lackedLogs(of: offered), count > 0
        else { return nil }
        return lacked.isNews(count) ? count : nil
    }

    /// Whether logs that the host offers are still to come, or lines that their writers have told
    /// of.
    ///
    /// - Parameter offered: how many logs the host offers; nil where it does not say.
    func lacks(logs offered: Int?) -> Bool {
        lacksLines() || offered.flatMap { shelf?.lackedLogs(of: $0) } ?? 0 > 0
    }

    /// Whether lines of other logs are still to come by this connection of which their writers have told.
    func lacksLines() -> Bool { shelf?.lacksLines(from: link) ?? false }

    /// Nothing follows: lines of other logs that are still to come are told as missing.
    func linesNotBrought() -> [Action] { perform(shelf?.linesNotBrought(by: link) ?? []) }

    /// Nobody was listening until now.
    func forgiveSilence(now: Duration) { shelf?.forgiveSilence(of: link, now: now) }

    /// A keep-alive was sent; `timestamp` is how it says when.
    func keepAliveSent(_ timestamp: Double, now: Duration) {
        requests.sent(timestamp, now: now)
    }

    /// A keep-alive has come that says which of ours was the newest to arrive.
    func keepAliveHeard(echo: Double?, now: Duration) { requests.heard(echo: echo, now: now) }

    /// What those say of whose turn it is who stand in for a log's writer, and he himself.
    ///
    /// - Parameters:
    ///   - own: the log that is written here.
    ///   - session: the log.
    func airClaims(besides own: String, around session: String, now: Duration) -> [AirClaim] {
        shelf?.airClaims(besides: own, around: session, now: now) ?? []
    }
}

extension FrameEncoder {
    /// The frame of a packet, to be sent.
    func sending(_ packet: Packet) -> [GuestSession.Action] {
        // Encoding fails for numbers that are not finite only, and what a guest says holds none.
        (try? frame(packet)).map { [.send($0)] } ?? []
    }
}
