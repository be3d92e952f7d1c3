import BeamscribeCore

/// Somebody who reads an event by a position of his own, and what he has been given.
struct FeedReader {
    var position: Reader
    /// What came, in its order.
    private(set) var items: [Item] = []

    /// What a ``Reader.Item`` says.
    enum Item: Equatable {
        case final(Int, String)
        /// The line, and its newest text.
        case partial(String, String)
        /// The kind.
        case alert(String)
        case gap(ClosedRange<Int>)
        /// A payload that is no packet of its item's kind.
        case nonsense
    }

    init(_ log: EventLog, after seq: Int = 0) {
        position = log.reader(after: seq)
    }

    /// Looks once, and returns what came of it.
    mutating func look(
        at log: EventLog, limit: Int = Limits.feedBatch
    ) -> (new: ArraySlice<Item>, outcome: Reader.Outcome) {
        let before = items.count
        let outcome = position.read(log, limit: limit) { items.append(Item($0)) }
        return (items[before...], outcome)
    }

    /// Reads all that there is.
    mutating func drain(_ log: EventLog, limit: Int = Limits.feedBatch) {
        while case .more = look(at: log, limit: limit).outcome {}
    }

    var finals: [String] {
        items.compactMap { if case .final(_, let text) = $0 { text } else { nil } }
    }
    var partials: [String] {
        items.compactMap { if case .partial(_, let text) = $0 { text } else { nil } }
    }
    var alerts: [String] {
        items.compactMap { if case .alert(let kind) = $0 { kind } else { nil } }
    }
    var gaps: [ClosedRange<Int>] {
        items.compactMap { if case .gap(let lines) = $0 { lines } else { nil } }
    }
}

extension FeedReader.Item {
    init(_ item: Reader.Item) {
        self = Self.read(item) ?? .nonsense
    }

    private static func read(_ item: Reader.Item) -> Self? {
        switch item {
        case .gap(let lines): return .gap(lines)
        case .final(let seq, let payload):
            guard case .liveChunk(let chunk)? = packet(payload), chunk.isFinal, chunk.seq == seq
            else { return nil }
            return .final(seq, chunk.text)
        case .partial(let payload):
            guard case .liveChunk(let chunk)? = packet(payload), !chunk.isFinal else { return nil }
            return .partial(chunk.line, chunk.text)
        case .alert(let payload):
            guard case .alert(let alert)? = packet(payload) else { return nil }
            return .alert(alert.kind)
        }
    }

    private static func packet(_ payload: UnsafeRawBufferPointer) -> Packet? {
        guard !payload.contains(UInt8(ascii: "\n")) else { return nil }
        return try? PacketDecoder().packet(payload)
    }
}
