import BeamscribeCore
import BeamscribeIO
internal import CNats
import FoundationEssentials

/// Reads streams by asking for one message after another, as users have to who may not make
/// consumers (docs/FAR.md, "Permissions that keep readers from writing").
///
/// Their account imports two requests of the JetStream API under a prefix of its own, and the
/// subjects of streams. What comes under these says that there is something new, and is asked for.
///
/// Invariant: of each reading messages are given in order, each once. All is called on the client's
/// thread.
final class NATSAsker: @unchecked Sendable {
    // Unchecked: what changes belongs to one thread, on which all of this is called.
    /// The prefix under which a readers' account has the API.
    static let prefix = "beamscribe.api"
    /// How many messages of a stream are asked for at once.
    private static let window = 128
    /// How long an answer may take.
    private static let patience = Duration.seconds(5)
    /// How often it is asked for what is new, though nothing was heard of it.
    private static let pause = Duration.seconds(2)

    private let connection: OpaquePointer
    private let loop: EventLoop
    private let answers: @Sendable (BackboneEvent) -> Void
    private let readings: @Sendable (BackboneEvent, Int) -> Void
    private let inbox: String
    private var subscriptions: [Int: OpaquePointer] = [:]
    private var pending: [Int: (purpose: Purpose, since: Duration)] = [:]
    private var lastToken = 0
    private var lines: [Int: LineReading] = [:]
    private var entries: [Int: EntryReading] = [:]
    private var look: LoopTimer?
    private let decoder = OutsideJSON()

    /// What an answer is for.
    private enum Purpose {
        case look(BackboneStream)
        case newest(BackboneStream, count: Int)
        case fetch(BackboneStream, number: Int)
        case recall(String)
        case length(reading: Int)
        case line(reading: Int, number: Int)
        case entry(reading: Int)
    }

    /// A stream whose messages are asked for by their numbers.
    private struct LineReading {
        let stream: BackboneStream
        /// The next message that is given.
        var next: Int
        /// The newest that was asked for.
        var asked: Int
        /// The newest that there may be.
        var known: Int
        /// What came before its turn.
        var early: [Int: [UInt8]] = [:]
        /// Whether something new was heard of since it was asked for.
        var isNew = false
    }

    /// Entries of the stream of events, which are asked for one behind another.
    private struct EntryReading {
        let filter: String
        var next = 1
        var isAsked = false
        var isNew = false
        var isCaughtUp = false
    }

    /// - Parameters:
    ///   - prefix: the subject under which this user's answers come; nil for NATS's own.
    ///   - thread: the one on which all of this is called.
    init(
        on connection: OpaquePointer, inbox prefix: String?, _ thread: LoopThread,
        answers: @escaping @Sendable (BackboneEvent) -> Void,
        readings: @escaping @Sendable (BackboneEvent, Int) -> Void
    ) throws(NATSFailure) {
        (self.connection, loop) = (connection, thread.loop)
        (self.answers, self.readings) = (answers, readings)
        inbox = try makeInbox(under: prefix)
        let isMine = InboxListener { [weak self, weak thread] subject, payload in
            thread?.perform { [weak self] in self?.answered(subject, payload) }
        }
        subscriptions[0] = try Self.subscribe(to: inbox + ".*", on: connection, isMine)
        tick()
    }

    private static func subscribe(
        to subject: String, on connection: OpaquePointer, _ listener: InboxListener
    ) throws(NATSFailure) -> OpaquePointer? {
        var made: OpaquePointer?
        let opaque = Unmanaged.passRetained(listener).toOpaque()
        do throws(NATSFailure) {
            try check(
                natsConnection_Subscribe(
                    &made, connection, subject,
                    { _, _, message, listener in InboxListener.of(listener).take(message) },
                    opaque))
        } catch {
            InboxListener.release(opaque)
            throw error
        }
        natsSubscription_SetOnCompleteCB(made, { InboxListener.release($0) }, opaque)
        return made
    }

    func close() {
        look?.cancel()
        for subscription in subscriptions.values { natsSubscription_Destroy(subscription) }
        (subscriptions, pending, lines, entries) = ([:], [:], [:], [:])
    }

    private func tick() {
        look = loop.schedule(after: Self.pause) { [weak self] in self?.lookAgain() }
    }

    private func lookAgain() {
        let now = loop.uptime
        for (token, waiting) in pending where now - waiting.since >= Self.patience {
            pending[token] = nil
            failed(waiting.purpose, "the server does not answer", isMissing: false)
        }
        for reading in lines.keys { hearLines(reading) }
        for reading in entries.keys { hearEntries(reading) }
        tick()
    }

    // MARK: Requests

    /// Makes a request that only reads; others fail.
    func ask(_ request: BackboneRequest, on thread: LoopThread) throws(NATSFailure) {
        switch request {
        case .look(let stream): try ask(.look(stream), "STREAM.INFO", stream, "")
        case .fetch(let stream, let number):
            try get(number, of: stream, .fetch(stream, number: number))
        case .recall(let subject):
            try ask(
                .recall(subject), "STREAM.MSG.GET", .events, #"{"last_by_subj":"\#(subject)"}"#)
        case .read(let stream, let from, let reading):
            let first = min(max(from, 1), Limits.lineNumber)
            lines[reading] = LineReading(stream: stream, next: first, asked: first - 1, known: 0)
            try listen(stream.subject, reading, thread) { $0.hearLines(reading) }
            try ask(.length(reading: reading), "STREAM.INFO", stream, "")
        case .follow(let subjects, let reading):
            entries[reading] = EntryReading(filter: subjects)
            try listen(subjects, reading, thread) { $0.hearEntries(reading) }
            hearEntries(reading)
        default: break
        }
    }

    private func listen(
        _ subject: String, _ reading: Int, _ thread: LoopThread,
        _ hear: @escaping @Sendable (NATSAsker) -> Void
    ) throws(NATSFailure) {
        let listener = InboxListener { [weak self, weak thread] _, _ in
            thread?.perform { [weak self] in if let self { hear(self) } }
        }
        subscriptions[reading] = try Self.subscribe(to: subject, on: connection, listener)
    }

    /// - Returns: whether it was something that is read here.
    func leave(_ reading: Int) -> Bool {
        guard
            lines.removeValue(forKey: reading) != nil || entries.removeValue(forKey: reading) != nil
        else { return false }
        if let subscription = subscriptions.removeValue(forKey: reading) {
            natsSubscription_Unsubscribe(subscription)
            natsSubscription_Destroy(subscription)
        }
        return true
    }

    private func get(
        _ number: Int, of stream: BackboneStream, _ purpose: Purpose
    ) throws(NATSFailure) {
        try ask(purpose, "STREAM.MSG.GET", stream, #"{"seq":\#(number)}"#)
    }

    private func ask(
        _ purpose: Purpose, _ request: String, _ stream: BackboneStream, _ body: String
    ) throws(NATSFailure) {
        lastToken += 1
        let bytes = Array(body.utf8)
        try check(
            bytes.withUnsafeBytes {
                natsConnection_PublishRequest(
                    connection, "\(Self.prefix).\(request).\(stream.name)", "\(inbox).\(lastToken)",
                    $0.baseAddress, Int32(clamping: $0.count))
            })
        pending[lastToken] = (purpose, loop.uptime)
    }

    // MARK: Answers

    private struct Answer: Decodable {
        struct State: Decodable {
            enum CodingKeys: String, CodingKey { case lastNumber = "last_seq" }
            let lastNumber: UInt64
        }
        struct Message: Decodable {
            let subject: String
            let seq: UInt64
            let data: Data?
        }
        struct Failure: Decodable {
            let code: Int?
            let description: String?
        }
        let state: State?
        let message: Message?
        let error: Failure?
    }

    private func answered(_ subject: String, _ payload: [UInt8]) {
        guard let token = subject.split(separator: ".").last.flatMap({ Int(bounded: $0) }),
            let purpose = pending.removeValue(forKey: token)?.purpose
        else { return }
        guard !payload.isEmpty else {
            // Nobody is there to answer.
            return failed(purpose, "JetStream not enabled for account", isMissing: false)
        }
        guard let answer = try? decoder.decode(Answer.self, from: Data(payload)) else {
            return failed(purpose, "the server's answer cannot be read", isMissing: false)
        }
        if let error = answer.error {
            let why = SafeText.line(error.description ?? "the server did not say why")
            return failed(purpose, why, isMissing: error.code == 404)
        }
        if let state = answer.state { return counted(state.lastNumber, purpose) }
        guard let message = answer.message else {
            return failed(purpose, "the server's answer cannot be read", isMissing: false)
        }
        guard let number = Int(messageNumber: message.seq) else {
            return failed(purpose, "\(MessageNumberError(message.seq))", isMissing: false)
        }
        got(number, message.subject, Array(message.data ?? Data()), purpose)
    }

    private func counted(_ last: UInt64, _ purpose: Purpose) {
        guard let count = Int(messageNumber: last) else {
            return failed(purpose, "\(MessageNumberError(last))", isMissing: false)
        }
        switch purpose {
        case .look(let stream) where count == 0: answers(.found(stream, count: 0, newest: []))
        case .look(let stream): try? get(count, of: stream, .newest(stream, count: count))
        case .length(let reading):
            lines[reading]?.known = count
            askLines(reading)
        default: break
        }
    }

    private func got(_ number: Int, _ subject: String, _ data: [UInt8], _ purpose: Purpose) {
        switch purpose {
        case .newest(let stream, let count): answers(.found(stream, count: count, newest: data))
        case .fetch(let stream, let asked): answers(.fetched(stream, number: asked, data))
        case .recall(let subject): answers(.recalled(subject, data))
        case .line(let reading, let asked):
            lines[reading]?.early[asked] = data
            give(reading)
        case .entry(let reading):
            guard var entry = entries[reading] else { return }
            (entry.next, entry.isAsked, entry.isNew) = (number + 1, false, true)
            entries[reading] = entry
            readings(
                .message(reading: reading, subject: subject, number: number, data), data.count + 64)
            hearEntries(reading)
        case .look, .length: break
        }
    }

    private func failed(_ purpose: Purpose, _ why: String, isMissing: Bool) {
        switch purpose {
        case .newest(let stream, let count) where isMissing:
            answers(.found(stream, count: count, newest: []))
        case .look(let stream), .newest(let stream, _):
            answers(isMissing ? .missing(stream) : .failed(stream, why: why))
        case .fetch(let stream, let number):
            answers(
                isMissing
                    ? .fetched(stream, number: number, []) : .failed(stream, why: why))
        case .recall(let subject): if isMissing { answers(.recalled(subject, [])) }
        case .line(let reading, let number) where isMissing: ended(reading, before: number)
        case .entry(let reading) where isMissing: caughtUp(reading)
        case .length(let reading), .line(let reading, _), .entry(let reading):
            _ = leave(reading)
            readings(.broken(reading: reading, why: isMissing ? nil : why), 0)
        }
    }

    // MARK: Lines

    /// Something new may be there.
    private func hearLines(_ reading: Int) {
        guard let line = lines[reading] else { return }
        lines[reading]?.isNew = true
        guard line.asked < line.next else { return }
        lines[reading]?.known = max(line.known, line.next)
        askLines(reading)
    }

    private func askLines(_ reading: Int) {
        guard var line = lines[reading] else { return }
        while line.asked < line.known, line.asked - line.next < Self.window {
            line.asked += 1
            line.isNew = false
            do throws(NATSFailure) {
                try get(line.asked, of: line.stream, .line(reading: reading, number: line.asked))
            } catch {
                break
            }
        }
        lines[reading] = line
    }

    private func give(_ reading: Int) {
        guard var line = lines[reading] else { return }
        while let payload = line.early.removeValue(forKey: line.next) {
            readings(
                .message(
                    reading: reading, subject: line.stream.subject, number: line.next, payload),
                payload.count + 64)
            line.next += 1
        }
        // Behind the newest that is known there may be another by now.
        if line.next > line.known { line.known = line.next }
        lines[reading] = line
        askLines(reading)
    }

    /// There is no message of this number yet.
    private func ended(_ reading: Int, before number: Int) {
        guard var line = lines[reading] else { return }
        line.known = min(line.known, number - 1)
        line.asked = min(line.asked, number - 1)
        lines[reading] = line
        if line.isNew { hearLines(reading) }
    }

    // MARK: Entries

    private func hearEntries(_ reading: Int) {
        guard var entry = entries[reading] else { return }
        guard !entry.isAsked else {
            entries[reading]?.isNew = true
            return
        }
        (entry.isAsked, entry.isNew) = (true, false)
        entries[reading] = entry
        try? ask(
            .entry(reading: reading), "STREAM.MSG.GET", .events,
            #"{"seq":\#(entry.next),"next_by_subj":"\#(entry.filter)"}"#)
    }

    private func caughtUp(_ reading: Int) {
        guard let entry = entries[reading] else { return }
        entries[reading]?.isAsked = false
        if !entry.isCaughtUp {
            entries[reading]?.isCaughtUp = true
            readings(.caughtUp(reading: reading), 0)
        }
        if entry.isNew { hearEntries(reading) }
    }
}

/// Takes what libnats brings of a subscription, on a thread of its own.
private final class InboxListener: Sendable {
    private let body: @Sendable (String, [UInt8]) -> Void

    init(_ body: @escaping @Sendable (String, [UInt8]) -> Void) { self.body = body }

    static func of(_ closure: UnsafeMutableRawPointer?) -> InboxListener {
        // libnats gives back what it was given.
        Unmanaged.fromOpaque(closure!).takeUnretainedValue()
    }

    static func release(_ closure: UnsafeMutableRawPointer?) {
        if let closure { Unmanaged<InboxListener>.fromOpaque(closure).release() }
    }

    func take(_ message: OpaquePointer?) {
        let subject = natsMsg_GetSubject(message).map { String(cString: $0) } ?? ""
        let payload = Desk.payload(of: message)
        natsMsg_Destroy(message)
        body(subject, payload)
    }
}

/// Returns a subject that nobody else has, for answers to this user.
///
/// - Parameter prefix: the subject under which this user's answers come; nil for NATS's own.
func makeInbox(under prefix: String?) throws(NATSFailure) -> String {
    var name: UnsafeMutablePointer<natsInbox>?
    try check(natsInbox_Create(&name))
    defer { natsInbox_Destroy(name) }
    // libnats makes a name below a prefix of its own, whatever prefix the connection has.
    let made = name.map { String(cString: $0) } ?? ""
    let unique = made.split(separator: ".").last.map(String.init) ?? ""
    return prefix.map { "\($0).\(unique)" } ?? made
}
