/// A guest's events as lines of JSON (`join --format jsonl`); docs/JSONL.md describes them.
///
/// The keys of one object are in alphabetical order, so that equal events are equal lines.
public enum EventRecord: Encodable, Sendable {
    case state(GuestState)
    case joined(JoinedEvent)
    /// What an earlier program has kept of the event, before anybody has answered.
    case kept(JoinedEvent)
    case line(TranscriptLine)
    case partial(PartialLine)
    case alert(kind: String, message: String)
    case gap(from: Int, through: Int)
    case withdrawn(from: Int, through: Int)
    case begunAnew
    /// One of these in another of the event's logs.
    indirect case inLog(LogTitle, EventRecord)
    case log(LogTitle, LogStanding)
    case stats(GuestStatistics)

    /// Nil for what is not for readers.
    public init?(_ event: GuestEvent) {
        switch event {
        case .state(let state): self = .state(state)
        case .joined(let event): self = event.isKept ? .kept(event) : .joined(event)
        case .line(let line): self = .line(line)
        case .partial(let partial): self = .partial(partial)
        case .alert(let kind, let message): self = .alert(kind: kind, message: message)
        case .gap(let from, let through): self = .gap(from: from, through: through)
        case .withdrawn(let from, let through): self = .withdrawn(from: from, through: through)
        case .begunAnew: self = .begunAnew
        case .stats(let statistics): self = .stats(statistics)
        case .inLog(let title, let event):
            guard let record = EventRecord(event) else { return nil }
            self = .inLog(title, record)
        case .log(let title, let standing): self = .log(title, standing)
        case .trouble, .stillLost, .turnedAway, .isRead, .isPutOut: return nil
        }
    }

    private enum Key: String, CodingKey {
        case type, state, why, cause, since, input, received, total, inputAge
        case eventName, deviceName, session, run, history, transport
        case security, fingerprint, via, headAge
        case line, text, speaker, lang, receivedTimestamp, latency
        case kind, message, from, through
        case log, label, of, at, late
        case isPrivate = "private"
        case lines, applied, connectionAge, reconnects, latencyP50, latencyP95
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .state(let state): try encode(state, to: &container)
        case .joined(let event):
            try container.encode("joined", forKey: .type)
            try encode(event, to: &container)
            try container.encode(event.transport, forKey: .transport)
            try container.encode(event.security.name, forKey: .security)
            try container.encodeIfPresent(event.holder, forKey: .via)
        case .kept(let event):
            try container.encode("kept", forKey: .type)
            try encode(event, to: &container)
        case .line(let line):
            try container.encode("line", forKey: .type)
            try line.encodeFields(to: encoder)
            try container.encode(line.receivedTimestamp, forKey: .receivedTimestamp)
            try container.encode(line.latency, forKey: .latency)
            if line.at != line.seq { try container.encode(line.at, forKey: .at) }
            if line.isLate { try container.encode(true, forKey: .late) }
        case .partial(let partial):
            try container.encode("partial", forKey: .type)
            try container.encode(partial.line, forKey: .line)
            try container.encode(partial.text, forKey: .text)
            try container.encodeIfPresent(partial.speaker, forKey: .speaker)
            try container.encodeIfPresent(partial.lang, forKey: .lang)
        case .alert(let kind, let message):
            try container.encode("alert", forKey: .type)
            try container.encode(kind, forKey: .kind)
            try container.encode(message, forKey: .message)
        case .gap(let from, let through):
            try container.encode("gap", forKey: .type)
            try container.encode(from, forKey: .from)
            try container.encode(through, forKey: .through)
        case .withdrawn(let from, let through):
            try container.encode("withdrawn", forKey: .type)
            try container.encode(from, forKey: .from)
            try container.encode(through, forKey: .through)
        case .begunAnew: try container.encode("begun_anew", forKey: .type)
        case .inLog(let title, let record):
            try record.encode(to: encoder)
            try container.encode(title.label, forKey: .log)
            try container.encode(title.session, forKey: .session)
            if title.isPrivate { try container.encode(true, forKey: .isPrivate) }
        case .log(let title, let standing):
            try container.encode("log", forKey: .type)
            try container.encode(title.session, forKey: .session)
            try container.encode(title.label, forKey: .label)
            try container.encode(title.deviceName, forKey: .deviceName)
            try container.encodeIfPresent(title.lang, forKey: .lang)
            try container.encode(
                title.translates == nil ? LogRecord.captions : LogRecord.translation, forKey: .kind)
            try container.encodeIfPresent(title.translates, forKey: .of)
            try container.encode(title.writer.hex, forKey: .fingerprint)
            if title.isPrivate { try container.encode(true, forKey: .isPrivate) }
            try container.encode(standing.rawValue, forKey: .state)
        case .stats(let statistics): try encode(statistics, to: &container)
        }
    }

    private func encode(
        _ event: JoinedEvent, to container: inout KeyedEncodingContainer<Key>
    ) throws {
        try container.encode(event.eventName, forKey: .eventName)
        try container.encode(event.deviceName, forKey: .deviceName)
        try container.encode(event.session, forKey: .session)
        try container.encode(event.runs.current, forKey: .run)
        try container.encode(event.history, forKey: .history)
        if let fingerprint = event.key {
            try container.encode(fingerprint.hex, forKey: .fingerprint)
        }
    }

    private func encode(
        _ state: GuestState, to container: inout KeyedEncodingContainer<Key>
    ) throws {
        try container.encode("state", forKey: .type)
        try container.encode(state.name, forKey: .state)
        switch state {
        case .syncing(let received, let total):
            try container.encode(received, forKey: .received)
            try container.encode(total, forKey: .total)
        case .silent(let age): try container.encode(age, forKey: .inputAge)
        case .stalled(let input): try container.encode(input.rawValue, forKey: .input)
        case .unheard(let via, let age):
            try container.encode(via, forKey: .via)
            try container.encode(age, forKey: .headAge)
        case .reconnecting(let loss):
            try container.encode(loss.cause.rawValue, forKey: .cause)
            try container.encode(loss.why, forKey: .why)
            try container.encode(loss.since, forKey: .since)
        case .searching, .connecting, .live, .ended: break
        }
    }

    private func encode(
        _ statistics: GuestStatistics, to container: inout KeyedEncodingContainer<Key>
    ) throws {
        try container.encode("stats", forKey: .type)
        try container.encode(statistics.lines, forKey: .lines)
        try container.encodeIfPresent(statistics.applied, forKey: .applied)
        try container.encodeIfPresent(statistics.connectionAge, forKey: .connectionAge)
        try container.encode(statistics.reconnects, forKey: .reconnects)
        try container.encodeIfPresent(statistics.latency?.p50, forKey: .latencyP50)
        try container.encodeIfPresent(statistics.latency?.p95, forKey: .latencyP95)
    }
}
