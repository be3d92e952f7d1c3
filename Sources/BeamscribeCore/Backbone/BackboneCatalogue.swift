public import FoundationEssentials

/// The events that a server keeps, as far as their founders have signed what they are.
public struct BackboneCatalogue {
    /// One of them.
    public struct Event: Equatable, Sendable {
        /// The event's id.
        public let id: UUID
        /// What its founder calls it, safe to show.
        public let name: String
        /// His machine, safe to show.
        public let deviceName: String
        /// Whether everybody may write in it.
        public let isOpen: Bool
        /// Whether guests have to know a code.
        public var hasCode = false
        /// When one of its writers was heard last, by his clock, in seconds since 1970; 0 for never.
        public var heard = 0.0
        /// Whether its founder has ended it.
        public var isOver = false
        /// Whether it is known how its founder's log stands, so that it can be read.
        public var isStanding = false
    }

    private let crypto: any LogCrypto
    private let name: String
    private var events: [UUID: Found] = [:]
    /// Events of which something was skipped before it was known that their name is wanted.
    private var skipped: Set<UUID> = []
    private var early: EarlyHeads
    private let packets = PacketDecoder()
    /// The number of times that all was read once more for two keys of one founder.
    private var contests = 0
    private static let mostContests = 8
    /// Whether something was skipped of an event that turned out to be wanted: all is to be read
    /// once more.
    package private(set) var needsAnotherLook = false

    /// An event of the wanted name.
    private struct Found {
        var event: Event
        /// Whether its founder has signed whether there is a code.
        var isCodeSigned = false
        /// Who writes its logs.
        var writers: [UUID: any LogVerifier]
        /// The newest record of its founder.
        var record: LogRecord
        /// A record of the founder's log by another key, and what that has signed.
        var rival: (record: LogRecord, verifier: any LogVerifier)?
    }

    /// - Parameters:
    ///   - name: the name that events are looked for by; others cost nothing but being read.
    ///   - crypto: knows what their founders have signed.
    package init(of name: String, proving crypto: any LogCrypto) {
        (self.name, self.crypto) = (name, crypto)
        early = EarlyHeads(limit: Limits.catalogueHeads)
    }

    /// The subjects of what is wanted.
    package static let subjects = "beamscribe.event.>"

    /// All is read once more.
    package mutating func lookAgain() { (needsAnotherLook, skipped) = (false, []) }

    /// Something that the server keeps.
    package mutating func take(_ subject: String, _ payload: [UInt8]) {
        guard let entry = BackboneEntry(subject: subject), payload.count <= Limits.packetPayload
        else {
            return
        }
        if entry.kind == .log, entry.session == entry.event {
            take(founder: payload, entry)
        } else if events[entry.event] != nil {
            take(payload, entry)
        } else if skipped.count < Limits.catalogueSkipped {
            skipped.insert(entry.event)
        }
    }

    private func signedRecord(
        _ payload: [UInt8], _ entry: BackboneEntry, where isWanted: (LogRecord) -> Bool
    ) -> (LogRecord, any LogVerifier)? {
        guard payload.count <= Limits.logRecord, case .log(let record)? = packet(payload),
            record.session == entry.session.wireName, record.event == entry.event.wireName,
            isWanted(record), let verifier = crypto.verifier(of: Array(record.key)),
            record.open != true || BoundSession.isOwn(record, by: crypto),
            isSigned(payload, by: verifier, { LogStatement.record(crypto.hash($0)) })
        else { return nil }
        return (record, verifier)
    }

    private mutating func take(founder payload: [UInt8], _ entry: BackboneEntry) {
        // Names are compared before signatures: strangers' events cost no more than to be read.
        let signed = signedRecord(payload, entry) {
            let name = SafeText.name($0.eventName, bytes: Limits.eventNameBytes)
            return EventName.matches(name, wanted: self.name) || EventName.isSame(name, self.name)
        }
        guard let (record, verifier) = signed else { return }
        if let known = events[entry.event] {
            guard known.writers[entry.event]?.writer == verifier.writer else {
                return contest(known, by: record, verifier)
            }
            guard record.number >= known.record.number else { return }
        }
        let isNew = events[entry.event] == nil
        guard !isNew || makeRoom() else { return }
        note(record, by: verifier, of: entry.event)
        if isNew, skipped.contains(entry.event) || skipped.count >= Limits.catalogueSkipped {
            needsAnotherLook = true
        }
    }

    private mutating func note(_ record: LogRecord, by verifier: any LogVerifier, of id: UUID) {
        let old = events[id]
        let event = Event(
            id: id, name: SafeText.name(record.eventName, bytes: Limits.eventNameBytes),
            deviceName: SafeText.name(record.deviceName, bytes: Limits.deviceNameBytes),
            isOpen: old?.event.isOpen ?? (record.open == true),
            hasCode: record.code ?? old?.event.hasCode ?? false,
            heard: old?.event.heard ?? 0, isOver: old?.event.isOver ?? false,
            isStanding: old?.event.isStanding ?? false)
        events[id] = Found(
            event: event, isCodeSigned: record.code != nil, writers: old?.writers ?? [:],
            record: record, rival: old?.rival)
        note(verifier, of: BackboneEntry(.log, of: id, in: id))
    }

    /// Two keys have signed a record of the founder's log. That one is the founder's which has
    /// signed how the log stands.
    private mutating func contest(
        _ known: Found, by record: LogRecord, _ verifier: any LogVerifier
    ) {
        guard !BoundSession.isOwn(known.record, by: crypto) else { return }
        events[known.event.id]?.rival = (record, verifier)
        // The head that its key has signed may have come before its record.
        guard !known.event.isStanding, contests < Self.mostContests else { return }
        contests += 1
        needsAnotherLook = true
    }

    /// Where there are too many events of a name, one that was never heard, or not for the longest
    /// time, gives way.
    private mutating func makeRoom() -> Bool {
        guard events.count >= Limits.catalogueEvents else { return true }
        let least = events.values.map(\.event).min {
            ($0.isOver ? 0 : 1, $0.heard, $0.id.wireName)
                < ($1.isOver ? 0 : 1, $1.heard, $1.id.wireName)
        }
        guard let least else { return false }
        events[least.id] = nil
        early.forget(least.id)
        return true
    }

    private mutating func note(_ verifier: any LogVerifier, of entry: BackboneEntry) {
        events[entry.event]?.writers[entry.session] = verifier
        if let head = early.take(entry.session, of: entry.event) {
            var word = entry
            word = BackboneEntry(.head, of: word.session, in: word.event)
            take(head, word)
        }
    }

    /// Something of an event of the wanted name.
    private mutating func take(_ payload: [UInt8], _ entry: BackboneEntry) {
        guard let found = events[entry.event] else { return }
        switch entry.kind {
        // Anybody who may write there can say so.
        case .code: if !found.isCodeSigned { events[entry.event]?.event.hasCode = true }
        case .log:
            guard found.writers[entry.session] == nil, found.writers.count <= Limits.logs,
                let (_, verifier) = signedRecord(payload, entry, where: { _ in true })
            else { return }
            note(verifier, of: entry)
        case .head:
            guard let verifier = found.writers[entry.session] else {
                return early.keep(payload, of: entry.session, in: entry.event)
            }
            take(head: payload, entry, by: verifier)
        case .grant: break
        }
    }

    private mutating func take(
        head payload: [UInt8], _ entry: BackboneEntry, by verifier: any LogVerifier
    ) {
        guard case .head(let head)? = packet(payload), head.session == entry.session.wireName,
            (0...Limits.calendar).contains(head.time)
        else { return }
        guard isSigned(payload, by: verifier, { statement(ofHead: $0, entry.session) }) else {
            guard entry.session == entry.event, let rival = events[entry.event]?.rival,
                isSigned(payload, by: rival.verifier, { statement(ofHead: $0, entry.session) })
            else { return }
            events[entry.event] = nil
            note(rival.record, by: rival.verifier, of: entry.event)
            return take(head: payload, entry, by: rival.verifier)
        }
        let heard = events[entry.event]?.event.heard ?? 0
        events[entry.event]?.event.heard = max(heard, head.time)
        guard entry.session == entry.event else { return }
        events[entry.event]?.event.isOver = head.state == LogHead.State.ended.rawValue
        events[entry.event]?.event.isStanding = true
    }

    private func statement(ofHead body: UnsafeRawBufferPointer, _ session: UUID) -> [UInt8] {
        LogStatement.head(crypto.hash(body), of: session)
    }

    private func packet(_ payload: [UInt8]) -> Packet? {
        payload.withUnsafeBytes { try? packets.packet($0) }
    }

    private func isSigned(
        _ payload: [UInt8], by verifier: any LogVerifier,
        _ statement: (UnsafeRawBufferPointer) -> [UInt8]
    ) -> Bool {
        payload.withUnsafeBytes { bytes in
            let signed = SignedPayload(bytes)
            return signed.signature.map { verifier.accepts($0, of: statement(signed.body)) }
                ?? false
        }
    }

    /// The events that are meant by the name, the one that was heard last before the others.
    package var wanted: [Event] {
        let all = events.values.map(\.event)
        let exact = all.filter { EventName.isSame($0.name, name) }
        return (exact.isEmpty ? all : exact).sorted {
            ($0.isOver ? 0 : 1, $0.heard) > ($1.isOver ? 0 : 1, $1.heard)
        }
    }

    /// The events in which everybody may write that are on under the name, by what was heard of
    /// their writers.
    ///
    /// - Parameter wall: now, in seconds since 1970.
    package func openEvents(at wall: Double) -> [Event] {
        events.values.map(\.event).filter { event in
            event.isOpen && EventName.isSame(event.name, name)
                && wall - event.heard < Limits.openEventHeard.seconds
        }.sorted { $0.id.wireName < $1.id.wireName }
    }
}

/// Heads that came before the record of their log.
///
/// Invariant: all together have at most `limit` bytes; where there are more, those of the event
/// that has most give way.
private struct EarlyHeads {
    private let limit: Int
    private var heads: [UUID: [UUID: [UInt8]]] = [:]
    private var bytes: [UUID: Int] = [:]
    private var total = 0

    init(limit: Int) { self.limit = limit }

    mutating func keep(_ head: [UInt8], of session: UUID, in event: UUID) {
        guard head.count <= Limits.catalogueHead else { return }
        _ = take(session, of: event)
        guard heads[event]?.count ?? 0 <= Limits.logs else { return }
        heads[event, default: [:]][session] = head
        add(head.count, to: event)
        while total > limit, let most = bytes.max(by: { $0.value < $1.value })?.key { forget(most) }
    }

    mutating func take(_ session: UUID, of event: UUID) -> [UInt8]? {
        guard let head = heads[event]?.removeValue(forKey: session) else { return nil }
        add(-head.count, to: event)
        return head
    }

    mutating func forget(_ event: UUID) {
        heads[event] = nil
        total -= bytes.removeValue(forKey: event) ?? 0
    }

    private mutating func add(_ count: Int, to event: UUID) {
        bytes[event, default: 0] += count
        total += count
    }
}
