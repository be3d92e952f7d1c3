import BeamscribeCore
import BeamscribeIO
internal import CNats
import FoundationEssentials
import Synchronization

/// A connection to a NATS server, and what is asked by it. All calls that may wait are made on the thread on which
/// it was begun.
///
/// What libnats calls back with is a ``Desk`` for the connection, and one for each reading; each lives until
/// libnats has said that it is done with it.
final class NATSClient: @unchecked Sendable {
    // Unchecked: what changes belongs to one thread, on which all of this is called; what libnats calls
    // back with has what it shares behind locks.
    private let server: BackboneServer
    private let answers: @Sendable (BackboneEvent) -> Void
    private let readings: @Sendable (BackboneEvent, Int) -> Void
    private let desk: Desk
    private var connection: OpaquePointer?
    private var stream: OpaquePointer?
    private var subscriptions: [Int: OpaquePointer] = [:]
    /// The readings of streams, of which the server says regularly that they are still on.
    private var streamDesks: [Int: ReadingDesk] = [:]
    /// How many heartbeats of these are missing.
    private var silences: [Int: Int] = [:]
    private var watch: LoopTimer?
    private var loop: EventLoop?
    private weak var thread: LoopThread?
    /// Reads for users who may not make consumers; nil where that is not known of this user.
    private var asker: NATSAsker?
    private var retry: LoopTimer?
    private var pause = Duration.seconds(1)
    private var isClosed = false

    init(
        _ server: BackboneServer, answers: @escaping @Sendable (BackboneEvent) -> Void,
        readings: @escaping @Sendable (BackboneEvent, Int) -> Void
    ) {
        (self.server, self.answers, self.readings) = (server, answers, readings)
        desk = Desk(answers, readings)
    }

    // MARK: The connection

    func begin(on thread: LoopThread) {
        (loop, self.thread) = (thread.loop, thread)
        desk.whenClosed { [weak self, weak thread] in
            guard let self, let thread else { return }
            thread.perform { self.connectAgain() }
        }
        connect()
    }

    /// libnats has given up, as it does where the server lets this user in no more.
    private func connectAgain() {
        guard !isClosed, connection != nil else { return }
        letGo()
        retry = loop?.schedule(after: pause) { [weak self] in self?.connect() }
    }

    private func letGo() {
        for subscription in subscriptions.values {
            desk.reads(subscription, as: nil)
            natsSubscription_Destroy(subscription)
        }
        (subscriptions, streamDesks, silences) = ([:], [:], [:])
        watch?.cancel()
        watch = nil
        asker?.close()
        asker = nil
        jsCtx_Destroy(stream)
        stream = nil
        let connection = connection
        self.connection = nil
        natsConnection_Destroy(connection)
    }

    /// What libnats does by itself once there was a connection is done here for the first one, so that it can be
    /// said why there is none.
    private func connect() {
        guard !isClosed else { return }
        do throws(NATSFailure) {
            try open()
            answers(.connected)
            desk.isConnected = true
        } catch {
            let isRefused = error.status == NATS_CONNECTION_AUTH_FAILED
            answers(.disconnected(why: isRefused ? refusal : error.words))
            retry = loop?.schedule(after: pause) { [weak self] in self?.connect() }
            pause = min(pause * 2, .seconds(4))
        }
    }

    /// What it means that the server does not let this user in. It does not say why itself.
    private var refusal: String {
        if server.credentials != nil {
            "it does not let in the user of the credentials file, which is for another server, or has "
                + "expired"
        } else if server.hasUser {
            "it does not let this user in with this password"
        } else {
            "it lets in only users whom it knows: give a credentials file, or a user and password in the "
                + "address"
        }
    }

    private func open() throws(NATSFailure) {
        var options: OpaquePointer?
        try check(natsOptions_Create(&options))
        defer { natsOptions_Destroy(options) }
        try set(options)
        let closure = Unmanaged.passRetained(desk).toOpaque()
        var made: OpaquePointer?
        do throws(NATSFailure) {
            try check(
                natsOptions_SetClosedCB(
                    options,
                    { _, desk in
                        Desk.of(desk).closed()
                        Desk.release(desk)
                    }, closure))
            try check(
                natsOptions_SetDisconnectedCB(
                    options, { connection, desk in Desk.of(desk).lost(connection) }, closure))
            try check(
                natsOptions_SetReconnectedCB(options, { _, desk in Desk.of(desk).back() }, closure))
            try check(
                natsOptions_SetErrorHandler(
                    options, { _, reading, status, desk in Desk.of(desk).failed(reading, status) },
                    closure))
            try check(natsConnection_Connect(&made, options))
        } catch {
            Desk.release(closure)
            throw error
        }
        connection = made
        var settings = jsOptions()
        try check(jsOptions_Init(&settings))
        settings.Wait = Self.patience
        settings.PublishAsync.MaxPending = Int64(Self.mostUnderWay)
        settings.PublishAsync.AckHandler = { _, message, answer, error, desk in
            Desk.of(desk).answered(message, answer, error)
        }
        settings.PublishAsync.AckHandlerClosure = closure
        try check(natsConnection_JetStream(&stream, made, &settings))
    }

    /// How long a request of the JetStream API may take, in milliseconds.
    private static let patience: Int64 = 2_000
    /// More than is ever sent without an answer.
    private static let mostUnderWay = 65_536
    /// When a server is asked whether it lives, in milliseconds, and how often it may not answer.
    private static let ping: (interval: Int64, missed: Int32) = (2_000, 2)

    private func set(_ options: OpaquePointer?) throws(NATSFailure) {
        try withCStrings(server.addresses) { (names: [UnsafePointer<CChar>?]) throws(NATSFailure) in
            var names = names
            try check(natsOptions_SetServers(options, &names, Int32(clamping: names.count)))
        }
        try check(natsOptions_SetName(options, "beamscribe"))
        if server.isEncrypted || server.authorities != nil {
            try check(natsOptions_SetSecure(options, true))
        }
        if let file = server.authorities {
            try check(natsOptions_LoadCATrustedCertificates(options, file))
        }
        if let file = server.credentials {
            try check(natsOptions_SetUserCredentialsFromFiles(options, file, nil))
        }
        if let prefix = server.inboxPrefix {
            try check(natsOptions_SetCustomInboxPrefix(options, prefix))
        }
        try check(natsOptions_SetTimeout(options, 5_000))
        try check(natsOptions_SetMaxReconnect(options, -1))
        try check(natsOptions_SetReconnectWait(options, 250))
        try check(natsOptions_SetReconnectJitter(options, 250, 250))
        try check(natsOptions_SetPingInterval(options, Self.ping.interval))
        try check(natsOptions_SetMaxPingsOut(options, Self.ping.missed))
        // What was meant for a server that was there is asked again of one that is.
        try check(natsOptions_SetReconnectBufSize(options, 1))
        try check(natsOptions_SetNoEcho(options, true))
        try check(natsOptions_UseGlobalMessageDelivery(options, true))
    }

    func close() {
        isClosed = true
        retry?.cancel()
        letGo()
    }

    // MARK: Requests

    func ask(_ request: BackboneRequest) {
        guard !isClosed, let stream, desk.isConnected else { return }
        do throws(NATSFailure) {
            try ask(request, stream)
        } catch {
            failed(request, error)
        }
    }

    private func ask(_ request: BackboneRequest, _ stream: OpaquePointer) throws(NATSFailure) {
        if let asker, let thread, request.onlyReads { return try asker.ask(request, on: thread) }
        do throws(NATSFailure) {
            switch request {
            case .make(let wanted): try make(wanted, stream)
            case .look(let wanted): try look(wanted, stream)
            case .append(let wanted, let number, let flight, let payload):
                try append(
                    payload, Desk.Append(stream: wanted, number: number, flight: flight), stream)
            case .add(let wanted, let line, let flight, let payload):
                let append = Desk.Append(
                    stream: wanted, number: line, flight: flight, isAnywhere: true)
                try self.append(payload, append, stream)
            case .fetch(let wanted, let number): try fetch(wanted, number, stream)
            case .say(let subject, let payload): try say(payload, under: subject)
            case .recall(let subject): try recall(subject, stream)
            case .read(let wanted, let from, let reading):
                try read(wanted, from: from, as: reading, stream)
            case .follow(let subjects, let reading):
                try follow(subjects, as: reading, stream)
            case .listen(let subject, let reading): try listen(subject, as: reading)
            case .leave(let reading): leave(reading)
            }
        } catch {
            guard error.isOfReaders, request.onlyReads, asker == nil, let connection, let thread
            else { throw error }
            asker = try NATSAsker(
                on: connection, inbox: server.inboxPrefix, thread, answers: answers,
                readings: readings)
            try ask(request, stream)
        }
    }

    private func failed(_ request: BackboneRequest, _ error: NATSFailure) {
        let words = words(for: error)
        switch request {
        case .make(let wanted), .look(let wanted), .fetch(let wanted, _):
            answers(error.isMissing ? .missing(wanted) : .failed(wanted, why: words))
        case .append(let wanted, let number, let flight, _),
            .add(let wanted, let number, let flight, _):
            answers(.refused(wanted, number: number, flight: flight, why: words))
        case .read(_, _, let reading), .follow(_, let reading), .listen(_, let reading):
            readings(.broken(reading: reading, why: error.isMissing ? nil : words), 0)
        // Who asked asks again.
        case .say, .recall, .leave: break
        }
    }

    /// What the server does not permit it does not answer either.
    private func words(for failure: NATSFailure) -> String {
        guard failure.status == NATS_TIMEOUT,
            let objection = desk.takeObjection(NATS_NOT_PERMITTED)
        else { return failure.words }
        return SafeText.line(objection)
    }

    private func make(_ wanted: BackboneStream, _ stream: OpaquePointer) throws(NATSFailure) {
        var code = jsErrCode(0)
        var settings = jsStreamConfig()
        try check(jsStreamConfig_Init(&settings))
        settings.Storage = js_FileStorage
        (settings.DenyDelete, settings.DenyPurge) = (true, true)
        settings.Replicas = Int64(server.replicas)
        if wanted == .events { settings.MaxMsgsPerSubject = 1 }
        let status = wanted.name.withCString { name in
            withCStrings([wanted.subject]) { subjects in
                var subjects = subjects
                return subjects.withUnsafeMutableBufferPointer { subjects in
                    settings.Name = name
                    settings.Subjects = subjects.baseAddress
                    settings.SubjectsLen = 1
                    return js_AddStream(nil, stream, &settings, nil, &code)
                }
            }
        }
        if code != JSStreamNameExistErr { try check(status, code) }
        answers(.made(wanted))
    }

    private func look(_ wanted: BackboneStream, _ stream: OpaquePointer) throws(NATSFailure) {
        var (code, info) = (jsErrCode(0), UnsafeMutablePointer<jsStreamInfo>?.none)
        try check(js_GetStreamInfo(&info, stream, wanted.name, nil, &code), code)
        let last = info.map { $0.pointee.State.LastSeq } ?? 0
        jsStreamInfo_Destroy(info)
        guard let count = Int(messageNumber: last) else {
            return answers(.failed(wanted, why: "\(MessageNumberError(last))"))
        }
        guard count > 0 else { return answers(.found(wanted, count: 0, newest: [])) }
        let newest = try message(count, of: wanted, stream)
        answers(.found(wanted, count: count, newest: newest))
    }

    /// - Returns: an empty message where there is none any more, as after a purge.
    private func message(
        _ number: Int, of wanted: BackboneStream, _ stream: OpaquePointer
    ) throws(NATSFailure) -> [UInt8] {
        var (code, message) = (jsErrCode(0), OpaquePointer?.none)
        let status = js_GetMsg(
            &message, stream, wanted.name, UInt64(clamping: number), nil, &code)
        defer { natsMsg_Destroy(message) }
        let isGone = code == JSNoMessageFoundErr || status == NATS_NOT_FOUND && code == jsErrCode(0)
        if !isGone { try check(status, code) }
        return Desk.payload(of: message)
    }

    private func fetch(
        _ wanted: BackboneStream, _ number: Int, _ stream: OpaquePointer
    ) throws(NATSFailure) {
        answers(.fetched(wanted, number: number, try message(number, of: wanted, stream)))
    }

    private func append(
        _ payload: [UInt8], _ append: Desk.Append, _ stream: OpaquePointer
    ) throws(NATSFailure) {
        var message: OpaquePointer?
        try check(
            payload.withUnsafeBufferPointer { bytes in
                bytes.withMemoryRebound(to: CChar.self) { bytes in
                    natsMsg_Create(
                        &message, append.stream.subject, nil, bytes.baseAddress,
                        Int32(clamping: bytes.count))
                }
            })
        var settings = jsPubOptions()
        try check(jsPubOptions_Init(&settings))
        // Of an expected 0 libnats makes no condition at all.
        if !append.isAnywhere, append.number == 1 {
            settings.ExpectNoMessage = true
        } else if !append.isAnywhere {
            settings.ExpectLastSeq = UInt64(clamping: append.number - 1)
        }
        let key = Desk.key(of: message)
        desk.begins(append, as: key)
        let status = js_PublishMsgAsync(stream, &message, &settings)
        if status != NATS_OK {
            desk.isOver(key)
            natsMsg_Destroy(message)
            try check(status)
        }
    }

    private func say(_ payload: [UInt8], under subject: String) throws(NATSFailure) {
        try check(
            payload.withUnsafeBytes { bytes in
                natsConnection_Publish(
                    connection, subject, bytes.baseAddress, Int32(clamping: bytes.count))
            })
    }

    private func recall(_ subject: String, _ stream: OpaquePointer) throws(NATSFailure) {
        var (code, message) = (jsErrCode(0), OpaquePointer?.none)
        let name = BackboneStream.events.name
        let status = js_GetLastMsg(&message, stream, name, subject, nil, &code)
        defer { natsMsg_Destroy(message) }
        do throws(NATSFailure) {
            try check(status, code)
            answers(.recalled(subject, Desk.payload(of: message)))
        } catch {
            guard error.isMissing else { throw error }
            answers(.recalled(subject, []))
        }
    }

    // MARK: Readings

    /// How often the server says that a reading is still on.
    private static let heartbeat = Duration.seconds(2)
    /// A reading is over if so many heartbeats in a row are missing.
    private static let missedHeartbeats = 3

    private func read(
        _ wanted: BackboneStream, from: Int, as reading: Int, _ stream: OpaquePointer
    ) throws(NATSFailure) {
        try subscribe(wanted, to: wanted.subject, as: reading, stream) { settings in
            settings.DeliverPolicy = js_DeliverByStartSequence
            settings.OptStartSeq = UInt64(clamping: max(from, 1))
        }
    }

    private func follow(
        _ subjects: String, as reading: Int, _ stream: OpaquePointer
    ) throws(NATSFailure) {
        let isEmpty = try !hasMessages(under: subjects, stream)
        try subscribe(.events, to: subjects, as: reading, stream) { settings in
            settings.DeliverPolicy = js_DeliverLastPerSubject
        }
        if isEmpty { readings(.caughtUp(reading: reading), 0) }
    }

    private func hasMessages(
        under subjects: String, _ stream: OpaquePointer
    ) throws(NATSFailure) -> Bool {
        var (code, info) = (jsErrCode(0), UnsafeMutablePointer<jsStreamInfo>?.none)
        var settings = jsOptions()
        try check(jsOptions_Init(&settings))
        let status = subjects.withCString { filter in
            settings.Stream.Info.SubjectsFilter = filter
            return js_GetStreamInfo(&info, stream, BackboneStream.events.name, &settings, &code)
        }
        try check(status, code)
        defer { jsStreamInfo_Destroy(info) }
        return (info?.pointee.State.Subjects?.pointee.Count ?? 0) > 0
    }

    private func subscribe(
        _ wanted: BackboneStream, to subjects: String, as reading: Int, _ stream: OpaquePointer,
        _ set: (inout jsConsumerConfig) -> Void
    ) throws(NATSFailure) {
        let inbox = try makeInbox(under: server.inboxPrefix)
        try listen(inbox, as: ReadingDesk(reading, of: wanted, for: desk), reading)
        do throws(NATSFailure) {
            try makeConsumer(of: wanted, for: subjects, to: inbox, stream, set)
        } catch {
            leave(reading)
            throw error
        }
        if watch == nil { watchReadings() }
    }

    /// Has the server send messages of a stream to a subject.
    ///
    /// `js_Subscribe` of libnats 3.4.1 trusts the server's answer, and a wrong one ends the
    /// process. This function reads no answer but an error.
    private func makeConsumer(
        of wanted: BackboneStream, for subjects: String, to inbox: String,
        _ stream: OpaquePointer, _ set: (inout jsConsumerConfig) -> Void
    ) throws(NATSFailure) {
        var (code, settings) = (jsErrCode(0), jsConsumerConfig())
        try check(jsConsumerConfig_Init(&settings))
        settings.AckPolicy = js_AckNone
        settings.FlowControl = true
        settings.Heartbeat = Self.heartbeat.components.seconds * 1_000_000_000
        set(&settings)
        let status = withCStrings([inbox, subjects]) { texts in
            (settings.DeliverSubject, settings.FilterSubject) = (texts[0], texts[1])
            return js_AddConsumer(nil, stream, wanted.name, &settings, nil, &code)
        }
        try check(status, code)
    }

    private func watchReadings() {
        watch = loop?.schedule(after: Self.heartbeat) { [weak self] in
            guard let self else { return }
            endSilentReadings()
            if streamDesks.isEmpty { watch = nil } else { watchReadings() }
        }
    }

    private func endSilentReadings() {
        // While a slow reader takes nothing, no heartbeat gets through either.
        guard desk.isConnected, !desk.isGiving else {
            silences = [:]
            return
        }
        for (reading, desk) in streamDesks {
            silences[reading] = desk.wasHeard() ? 0 : silences[reading, default: 0] + 1
            guard silences[reading] == Self.missedHeartbeats else { continue }
            leave(reading)
            answers(.broken(reading: reading, why: "the server sends nothing more"))
        }
    }

    private func listen(_ subject: String, as reading: Int) throws(NATSFailure) {
        try listen(subject, as: ReadingDesk(reading, of: nil, for: desk), reading)
    }

    private func listen(
        _ subject: String, as closure: ReadingDesk, _ reading: Int
    ) throws(NATSFailure) {
        var made: OpaquePointer?
        let opaque = Unmanaged.passRetained(closure).toOpaque()
        do throws(NATSFailure) {
            try check(
                natsConnection_Subscribe(
                    &made, connection, subject,
                    { connection, subscription, message, desk in
                        ReadingDesk.of(desk).take(message, of: subscription, by: connection)
                    }, opaque))
        } catch {
            ReadingDesk.release(opaque)
            throw error
        }
        subscriptions[reading] = made
        if closure.isOfStream { streamDesks[reading] = closure }
        desk.reads(made, as: reading)
        natsSubscription_SetOnCompleteCB(made, { ReadingDesk.release($0) }, opaque)
        // How much is under way the server bounds by itself, as it is asked to.
        natsSubscription_SetPendingLimits(made, -1, -1)
    }

    private func leave(_ reading: Int) {
        if asker?.leave(reading) == true { return }
        (streamDesks[reading], silences[reading]) = (nil, nil)
        guard let subscription = subscriptions.removeValue(forKey: reading) else { return }
        desk.reads(subscription, as: nil)
        natsSubscription_Unsubscribe(subscription)
        natsSubscription_Destroy(subscription)
    }
}

/// Calls `body` with the texts as C has them, valid during the call.
private func withCStrings<Result, Failure: Error>(
    _ texts: [String], _ body: ([UnsafePointer<CChar>?]) throws(Failure) -> Result
) throws(Failure) -> Result {
    let copies = texts.map { text in
        let bytes = Array(text.utf8CString)
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        copy.initialize(from: bytes, count: bytes.count)
        return copy
    }
    defer { copies.forEach { $0.deallocate() } }
    return try body(copies.map { UnsafePointer($0) })
}

extension BackboneRequest {
    /// Whether it is one that a ``NATSAsker`` makes.
    fileprivate var onlyReads: Bool {
        switch self {
        case .look, .fetch, .recall, .read, .follow: true
        default: false
        }
    }
}

/// Why something was not done, by libnats and the server.
struct NATSFailure: Error {
    let status: natsStatus
    let code: jsErrCode
    /// For people.
    let words: String

    /// Whether this user's account has no JetStream itself: it may have what is there for readers.
    var isOfReaders: Bool { code == JSNotEnabledForAccountErr || code == JSNotEnabledErr }

    /// Whether what was asked for is not there.
    var isMissing: Bool {
        code == JSStreamNotFoundErr || code == JSNoMessageFoundErr
            || status == NATS_NOT_FOUND && code == jsErrCode(0)
    }
}

func check(_ status: natsStatus, _ code: jsErrCode = jsErrCode(0)) throws(NATSFailure) {
    guard status != NATS_OK else { return }
    let general = natsStatus_GetText(status).map { String(cString: $0) } ?? "unknown"
    let detail = withoutPlace(nats_GetLastError(nil).map { String(cString: $0) } ?? "")
    let isSaid = detail.isEmpty || detail == general
    let words = isSaid ? general : general == "Error" ? detail : "\(general): \(detail)"
    throw NATSFailure(status: status, code: code, words: SafeText.line(words))
}

/// What libnats says of an error, without where in its source that was: `(conn.c:733): `.
private func withoutPlace(_ words: String) -> String {
    guard words.hasPrefix("("), let end = words.firstIndex(of: ")"),
        words[end...].hasPrefix("): ")
    else { return words }
    return String(words[end...].dropFirst(3))
}
