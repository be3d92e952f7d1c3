import Foundation
import Synchronization

/// A browser's EventSource, but for that it reads only when it is told to and never comes again by
/// itself.
public final class EventStreamReader: Sendable {
    /// The beginning of the answer.
    public let head: HTTPAnswer

    private struct State {
        var chunks = ChunkDecoder()
        var text: [UInt8] = []
        var events: [ServerSentEvent] = []
    }

    private let connection: RawConnection
    private let state = Mutex(State())

    private init(_ connection: RawConnection, _ head: HTTPAnswer) {
        self.connection = connection
        self.head = head
    }

    /// Asks for an event stream, and waits until the answer has begun.
    ///
    /// - Parameters:
    ///   - fields: header fields, such as `Last-Event-ID: 7`.
    ///   - receiveBuffer: as of ``RawConnection``.
    nonisolated(nonsending) public static func open(
        _ port: UInt16, _ path: String = "/events", fields: [String] = [],
        receiveBuffer: Int32? = nil
    ) async throws -> EventStreamReader {
        let connection = try RawConnection(to: port, receiveBuffer: receiveBuffer)
        let lines =
            ["GET \(path) HTTP/1.1", "Host: localhost", "Accept: text/event-stream"] + fields
        try await connection.send(lines.map { $0 + "\r\n" }.joined() + "\r\n")
        let head = try await connection.read("an event stream") { bytes, _ in
            try HTTPAnswer.head(from: &bytes)
        }
        return EventStreamReader(connection, head)
    }

    /// All that was read.
    public var events: [ServerSentEvent] { state.withLock { $0.events } }

    /// The texts of the finals that were read.
    public var finals: [String] { events.filter { $0.name == "" }.compactMap(\.text) }
    /// The numbers of the finals that were read.
    public var numbers: [Int] { events.filter { $0.name == "" }.compactMap { Int($0.id ?? "") } }
    /// The texts of the partials that were read.
    public var partials: [String] { events.filter { $0.name == "partial" }.compactMap(\.text) }
    /// The kinds of the alerts that were read.
    public var alerts: [String] { events.filter { $0.name == "alert" }.compactMap(\.kind) }

    /// Reads until there is an event that `matches`, and answers the first.
    @discardableResult
    nonisolated(nonsending) public func wait(
        for what: String, within limit: Duration = Deadline.generous,
        where matches: (ServerSentEvent) -> Bool
    ) async throws -> ServerSentEvent {
        var seen = 0
        return try await connection.read(what, within: limit) { bytes, _ in
            let events = try take(&bytes)
            defer { seen = events.count }
            return events[min(seen, events.count)...].first(where: matches)
        }
    }

    /// Reads until the final with that text.
    @discardableResult
    nonisolated(nonsending) public func wait(
        forFinal text: String, within limit: Duration = Deadline.generous
    ) async throws -> ServerSentEvent {
        try await wait(for: "the final \(text)", within: limit) {
            $0.name == "" && $0.data.contains(#""\#(text)""#)
        }
    }

    /// Reads until an alert of that kind.
    @discardableResult
    nonisolated(nonsending) public func wait(
        forAlert kind: String, within limit: Duration = Deadline.generous
    ) async throws -> ServerSentEvent {
        try await wait(for: "the alert \(kind)", within: limit) {
            $0.name == "alert" && $0.kind == kind
        }
    }

    /// Reads until the stream has ended, by its last chunk or with its connection.
    nonisolated(nonsending) public func readToEnd(within limit: Duration = Deadline.generous)
        async throws
    {
        _ = try await connection.read("the end of the stream", within: limit) { bytes, hasEnded in
            _ = try take(&bytes)
            return hasEnded || isComplete ? true : nil
        }
    }

    /// Whether the server has ended the connection; nothing is read of the stream.
    public var hasEnded: Bool { connection.hasEnded }

    /// Whether the last chunk was read, so that nothing is missing.
    public var isComplete: Bool { state.withLock { $0.chunks.isOver } }

    private func take(_ bytes: inout [UInt8]) throws -> [ServerSentEvent] {
        try state.withLock { state in
            state.text += try state.chunks.decode(&bytes)
            var place = state.text.startIndex
            while let end = Self.endOfEvent(in: state.text[place...]) {
                let lines = String(decoding: state.text[place..<end], as: UTF8.self)
                place = end + 2
                let event = try ServerSentEvent(lines.split(separator: "\n"))
                state.events.append(event)
            }
            state.text.removeFirst(place)
            return state.events
        }
    }

    /// Where the blank line behind the first event begins.
    private static func endOfEvent(in text: ArraySlice<UInt8>) -> Int? {
        var rest = text
        while let line = rest.firstIndex(of: UInt8(ascii: "\n")) {
            guard line + 1 < rest.endIndex else { return nil }
            if rest[line + 1] == UInt8(ascii: "\n") { return line }
            rest = rest[(line + 1)...]
        }
        return nil
    }
}
