import BeamscribeCore
internal import CNats
import Synchronization

/// What libnats calls back with about a connection, on threads of its own.
final class Desk: Sendable {
    private let answers: @Sendable (BackboneEvent) -> Void
    private let readings: @Sendable (BackboneEvent, Int) -> Void
    private let giving = Atomic(0)
    private let state = Mutex(State())

    /// A message on its way into a stream.
    struct Append {
        let stream: BackboneStream
        let number: Int
        let flight: Int
        /// Whether it may stand anywhere; `number` is that of a line then.
        var isAnywhere = false
    }

    private struct State {
        var isConnected = false
        var whenClosed: @Sendable () -> Void = {}
        /// Those that were not answered yet, by the address of their message.
        var appends: [UInt: Append] = [:]
        /// What is being read, by the address of its subscription.
        var reading: [UInt: Int] = [:]
        /// What the server has said against this user last, by its kind.
        var objections: [UInt32: String] = [:]
    }

    init(
        _ answers: @escaping @Sendable (BackboneEvent) -> Void,
        _ readings: @escaping @Sendable (BackboneEvent, Int) -> Void
    ) {
        (self.answers, self.readings) = (answers, readings)
    }

    static func of(_ closure: UnsafeMutableRawPointer?) -> Desk {
        // libnats gives back what it was given.
        Unmanaged.fromOpaque(closure!).takeUnretainedValue()
    }

    static func release(_ closure: UnsafeMutableRawPointer?) {
        if let closure { Unmanaged<Desk>.fromOpaque(closure).release() }
    }

    static func key(of pointer: OpaquePointer?) -> UInt { UInt(bitPattern: pointer) }

    /// What a message says.
    static func payload(of message: OpaquePointer?) -> [UInt8] {
        let length = natsMsg_GetDataLength(message)
        guard length > 0, let count = Int(exactly: length), let bytes = natsMsg_GetData(message)
        else { return [] }
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    // MARK: The connection

    var isConnected: Bool {
        get { state.withLock { $0.isConnected } }
        set { state.withLock { $0.isConnected = newValue } }
    }

    func lost(_ connection: OpaquePointer?) {
        isConnected = false
        var words: UnsafePointer<CChar>?
        natsConnection_GetLastError(connection, &words)
        let objection = takeObjection(NATS_CONNECTION_AUTH_FAILED)
        let why = objection ?? words.map { String(cString: $0) } ?? ""
        answers(.disconnected(why: SafeText.line(why.isEmpty ? "the connection was lost" : why)))
    }

    /// libnats has given the connection up, or was asked to.
    func closed() {
        let tell = state.withLock { state in
            state.isConnected = false
            return state.whenClosed
        }
        tell()
    }

    func whenClosed(_ tell: @escaping @Sendable () -> Void) {
        state.withLock { $0.whenClosed = tell }
    }

    func back() {
        isConnected = true
        answers(.connected)
    }

    /// Something is wrong with what is being read, or with what this user wants.
    func failed(_ subscription: OpaquePointer?, _ status: natsStatus) {
        if status == NATS_NOT_PERMITTED || status == NATS_CONNECTION_AUTH_FAILED {
            objected(status)
        }
        guard let subscription,
            let reading = state.withLock({ $0.reading[Self.key(of: subscription)] })
        else { return }
        let why = natsStatus_GetText(status).map { String(cString: $0) } ?? "unknown"
        // Not behind what waits: who reads slowly is not to hold up libnats here.
        answers(.broken(reading: reading, why: why))
    }

    /// The server does not answer what it does not permit: it says beside that what that was.
    private func objected(_ kind: natsStatus) {
        let words = nats_GetLastError(nil).map { String(cString: $0) } ?? ""
        guard !words.isEmpty else { return }
        let refused = state.withLock { state in
            state.objections[kind.rawValue] = words
            let refused = state.appends.filter { words.contains("\"\($0.value.stream.subject)\"") }
            for key in refused.keys { state.appends[key] = nil }
            return refused.values
        }
        for append in refused { refuse(append, why: words) }
    }

    /// What the server has said against this user since this was asked last.
    func takeObjection(_ kind: natsStatus) -> String? {
        state.withLock { $0.objections.removeValue(forKey: kind.rawValue) }
    }

    func reads(_ subscription: OpaquePointer?, as reading: Int?) {
        state.withLock { $0.reading[Self.key(of: subscription)] = reading }
    }

    /// Gives out something that was read; waits while the reader takes no more.
    func give(_ event: BackboneEvent, cost: Int = 0) {
        giving.add(1, ordering: .relaxed)
        readings(event, cost)
        giving.subtract(1, ordering: .relaxed)
    }

    /// Whether something that was read waits for the reader.
    var isGiving: Bool { giving.load(ordering: .relaxed) > 0 }

    // MARK: What is appended

    func begins(_ append: Append, as key: UInt) {
        state.withLock { $0.appends[key] = append }
    }

    func isOver(_ key: UInt) { state.withLock { $0.appends[key] = nil } }

    func answered(
        _ message: OpaquePointer?, _ answer: UnsafeMutablePointer<jsPubAck>?,
        _ error: UnsafeMutablePointer<jsPubAckErr>?
    ) {
        defer { natsMsg_Destroy(message) }
        let key = Self.key(of: message)
        guard let append = state.withLock({ $0.appends.removeValue(forKey: key) }) else { return }
        if let sequence = answer?.pointee.Sequence {
            guard let number = Int(messageNumber: sequence) else {
                return refuse(append, why: "\(MessageNumberError(sequence))")
            }
            guard !append.isAnywhere else {
                return answers(
                    .added(append.stream, line: append.number, at: number, flight: append.flight))
            }
            guard number == append.number else {
                return refuse(append, why: "it has another place")
            }
            answers(.stored(append.stream, number: number, flight: append.flight))
        } else {
            let words = error?.pointee.ErrText.map { String(cString: $0) }
            let general = error.flatMap { natsStatus_GetText($0.pointee.Err) }.map {
                String(cString: $0)
            }
            refuse(append, why: words ?? general ?? "the server did not say why")
        }
    }

    private func refuse(_ append: Append, why: String) {
        answers(
            .refused(
                append.stream, number: append.number, flight: append.flight,
                why: SafeText.line(why)))
    }
}

/// What libnats calls back with about something that is being read.
final class ReadingDesk: Sendable {
    private let reading: Int
    /// Whether messages have a place in a stream.
    private let stream: BackboneStream?
    private let desk: Desk
    private let hasHeard = Atomic(true)
    /// The number of messages of the stream that have come.
    private let arrived = Atomic(0)

    init(_ reading: Int, of stream: BackboneStream?, for desk: Desk) {
        (self.reading, self.stream, self.desk) = (reading, stream, desk)
    }

    static func of(_ closure: UnsafeMutableRawPointer?) -> ReadingDesk {
        // libnats gives back what it was given.
        Unmanaged.fromOpaque(closure!).takeUnretainedValue()
    }

    static func release(_ closure: UnsafeMutableRawPointer?) {
        if let closure { Unmanaged<ReadingDesk>.fromOpaque(closure).release() }
    }

    var isOfStream: Bool { stream != nil }

    /// Whether anything has come since this was asked last.
    func wasHeard() -> Bool { hasHeard.exchange(false, ordering: .relaxed) }

    func take(
        _ message: OpaquePointer?, of subscription: OpaquePointer?, by connection: OpaquePointer?
    ) {
        defer { natsMsg_Destroy(message) }
        hasHeard.store(true, ordering: .relaxed)
        if let stream, let asked = Self.control(message) {
            // The server sends more once it has the answer.
            if let answer = FlowControl.subject(asked, of: stream) {
                natsConnection_PublishString(connection, answer, "")
            }
            return
        }
        var (number, left) = (0, 1)
        if stream != nil {
            guard let place = place(of: message) else {
                return end(subscription, why: "a message's number in its stream cannot be")
            }
            guard place.order == arrived.add(1, ordering: .relaxed).newValue else {
                return end(subscription, why: "messages are lost on their way")
            }
            (number, left) = (place.number, place.isLast ? 0 : 1)
        }
        let subject = natsMsg_GetSubject(message).map { String(cString: $0) } ?? ""
        let payload = Desk.payload(of: message)
        desk.give(
            .message(reading: reading, subject: subject, number: number, payload),
            cost: payload.count + 64)
        if stream == .events, left == 0 { desk.give(.caughtUp(reading: reading)) }
    }

    /// Nothing more is taken: whoever reads begins again.
    private func end(_ subscription: OpaquePointer?, why: String) {
        natsSubscription_Unsubscribe(subscription)
        desk.give(.broken(reading: reading, why: why))
    }

    /// The subject that a heartbeat or a request of flow control wants an answer at, or ""; nil for
    /// a message of the stream (NATS ADR-9).
    private static func control(_ message: OpaquePointer?) -> String? {
        guard natsMsg_GetDataLength(message) <= 0, header("Status", of: message) == "100" else {
            return nil
        }
        if let reply = natsMsg_GetReply(message) { return String(cString: reply) }
        return header("Nats-Consumer-Stalled", of: message) ?? ""
    }

    private static func header(_ key: String, of message: OpaquePointer?) -> String? {
        var value: UnsafePointer<CChar>?
        guard natsMsgHeader_Get(message, key, &value) == NATS_OK else { return nil }
        return value.map { String(cString: $0) }
    }

    /// The place of a message in its stream; nil for a number that cannot be.
    private func place(of message: OpaquePointer?) -> MessagePlace? {
        natsMsg_GetReply(message).flatMap { MessagePlace(reply: String(cString: $0)) }
    }
}
