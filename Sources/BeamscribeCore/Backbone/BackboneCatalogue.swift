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
    }

    private let crypto: any LogCrypto
    private var events: [UUID: Event] = [:]
    private var keys: [UUID: any LogVerifier] = [:]
    /// What came before it was known of what it is.
    private var early: [(entry: BackboneEntry, payload: [UInt8])] = []

    /// - Parameter crypto: knows what their founders have signed.
    package init(proving crypto: any LogCrypto) { self.crypto = crypto }

    /// The subjects of what is wanted.
    package static let subjects = "beamscribe.event.>"

    /// So many events, and words about events that are not known, are looked at; beyond that the server is full of
    /// something else.
    private static let most = 100_000

    /// Something that the server keeps.
    package mutating func take(_ subject: String, _ payload: [UInt8]) {
        guard let entry = BackboneEntry(subject: subject), payload.count <= Limits.packetPayload
        else {
            return
        }
        if entry.kind == .log { take(record: payload, entry) } else { take(payload, entry) }
    }

    private mutating func take(record payload: [UInt8], _ entry: BackboneEntry) {
        guard events.count < Self.most, keys.count < Self.most,
            case .log(let record)? = packet(payload),
            record.session == entry.session.wireName, record.event == entry.event.wireName,
            let verifier = crypto.verifier(of: Array(record.key)),
            isSigned(payload, by: verifier, { LogStatement.record(crypto.hash($0)) }),
            record.open != true || BoundSession.isOwn(record, by: crypto)
        else { return }
        keys[entry.session] = verifier
        if entry.session == entry.event {
            let old = events[entry.event]
            events[entry.event] = Event(
                id: entry.event,
                name: SafeText.name(record.eventName, bytes: Limits.eventNameBytes),
                deviceName: SafeText.name(record.deviceName, bytes: Limits.deviceNameBytes),
                isOpen: record.open == true, hasCode: old?.hasCode ?? false,
                heard: old?.heard ?? 0, isOver: old?.isOver ?? false)
        }
        let waiting = early
        early = []
        for word in waiting { take(word.payload, word.entry) }
    }

    private mutating func take(_ payload: [UInt8], _ entry: BackboneEntry) {
        guard var event = events[entry.event] else {
            if early.count < Self.most { early.append((entry, payload)) }
            return
        }
        switch entry.kind {
        case .code: event.hasCode = true
        case .head:
            guard let verifier = keys[entry.session] else {
                if early.count < Self.most { early.append((entry, payload)) }
                return
            }
            guard case .head(let head)? = packet(payload), head.session == entry.session.wireName,
                isSigned(
                    payload, by: verifier, { LogStatement.head(crypto.hash($0), of: entry.session) }
                )
            else { return }
            event.heard = max(event.heard, head.time)
            if entry.session == entry.event {
                event.isOver = head.state == LogHead.State.ended.rawValue
            }
        case .log, .grant: break
        }
        events[entry.event] = event
    }

    private func packet(_ payload: [UInt8]) -> Packet? {
        payload.withUnsafeBytes { try? PacketDecoder().packet($0) }
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

    /// The events that are meant by a name, the one that was heard last before the others.
    ///
    /// - Parameter name: an event's name, or a beginning of it.
    package func events(called name: String) -> [Event] {
        let exact = events.values.filter { EventName.isSame($0.name, name) }
        let all =
            exact.isEmpty
            ? events.values.filter { EventName.matches($0.name, wanted: name) } : exact
        return all.sorted { ($0.isOver ? 0 : 1, $0.heard) > ($1.isOver ? 0 : 1, $1.heard) }
    }

    /// The events in which everybody may write that are on under a name, by what was heard of their writers.
    ///
    /// - Parameter wall: now, in seconds since 1970.
    package func openEvents(called name: String, at wall: Double) -> [Event] {
        events.values.filter { event in
            event.isOpen && EventName.isSame(event.name, name)
                && wall - event.heard < Limits.openEventHeard.seconds
        }.sorted { $0.id.wireName < $1.id.wireName }
    }
}
