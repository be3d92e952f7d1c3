/// A guest's events as lines of JSON (`join --format jsonl`); docs/JSONL.md describes them.
///
/// The keys of one object are in alphabetical order, so that equal events are equal lines.
public enum EventRecord: Encodable, Sendable {
    case state(name: String, why: String?, received: Int?, total: Int?, inputAge: Double?)
    case joined(eventName: String, deviceName: String, session: String, history: Int)
    case line(TranscriptLine)
    case partial(line: String, text: String, speaker: String?)
    case alert(kind: String, message: String)
    case gap(from: Int, through: Int)

    /// Nil for what is not for readers.
    public init?(_ event: GuestEvent) {
        switch event {
        case .state(let state): self = Self.record(of: state)
        case .joined(let event, let device, let session, let history):
            self = .joined(
                eventName: event, deviceName: device, session: session, history: history)
        case .line(let line): self = .line(line)
        case .partial(let line, let text, let speaker):
            self = .partial(line: line, text: text, speaker: speaker)
        case .alert(let kind, let message): self = .alert(kind: kind, message: message)
        case .gap(let from, let through): self = .gap(from: from, through: through)
        case .trouble: return nil
        }
    }

    private static func record(of state: GuestState) -> EventRecord {
        let name = state.name
        return switch state {
        case .syncing(let received, let total):
            .state(name: name, why: nil, received: received, total: total, inputAge: nil)
        case .silent(let age):
            .state(name: name, why: nil, received: nil, total: nil, inputAge: age)
        case .reconnecting(let why):
            .state(name: name, why: why, received: nil, total: nil, inputAge: nil)
        default: .state(name: name, why: nil, received: nil, total: nil, inputAge: nil)
        }
    }

    private enum Key: String, CodingKey {
        case type, state, why, received, total, inputAge
        case eventName, deviceName, session, history
        case seq, line, text, speaker, lang, start, end, replaces
        case sentTimestamp, receivedTimestamp, latency
        case kind, message, from, through
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .state(let name, let why, let received, let total, let inputAge):
            try container.encode("state", forKey: .type)
            try container.encode(name, forKey: .state)
            try container.encodeIfPresent(why, forKey: .why)
            try container.encodeIfPresent(received, forKey: .received)
            try container.encodeIfPresent(total, forKey: .total)
            try container.encodeIfPresent(inputAge, forKey: .inputAge)
        case .joined(let eventName, let deviceName, let session, let history):
            try container.encode("joined", forKey: .type)
            try container.encode(eventName, forKey: .eventName)
            try container.encode(deviceName, forKey: .deviceName)
            try container.encode(session, forKey: .session)
            try container.encode(history, forKey: .history)
        case .line(let line): try encode(line, to: &container)
        case .partial(let line, let text, let speaker):
            try container.encode("partial", forKey: .type)
            try container.encode(line, forKey: .line)
            try container.encode(text, forKey: .text)
            try container.encodeIfPresent(speaker, forKey: .speaker)
        case .alert(let kind, let message):
            try container.encode("alert", forKey: .type)
            try container.encode(kind, forKey: .kind)
            try container.encode(message, forKey: .message)
        case .gap(let from, let through):
            try container.encode("gap", forKey: .type)
            try container.encode(from, forKey: .from)
            try container.encode(through, forKey: .through)
        }
    }

    private func encode(
        _ line: TranscriptLine, to container: inout KeyedEncodingContainer<Key>
    ) throws {
        try container.encode("line", forKey: .type)
        try container.encode(line.seq, forKey: .seq)
        try container.encode(line.line, forKey: .line)
        try container.encode(line.text, forKey: .text)
        try container.encodeIfPresent(line.speaker, forKey: .speaker)
        try container.encodeIfPresent(line.lang, forKey: .lang)
        try container.encodeIfPresent(line.start, forKey: .start)
        try container.encodeIfPresent(line.end, forKey: .end)
        try container.encodeIfPresent(line.replaces, forKey: .replaces)
        try container.encode(line.sentTimestamp, forKey: .sentTimestamp)
        try container.encode(line.receivedTimestamp, forKey: .receivedTimestamp)
        try container.encode(line.latency, forKey: .latency)
    }
}
