/// Asks a web server of this machine, a connection for each question.
public struct WebClient: Sendable {
    public let port: UInt16
    /// Header fields of every question, such as `Cookie: a=b`.
    public var fields: [String] = []
    public var address = "127.0.0.1"

    public init(_ port: UInt16) {
        self.port = port
    }

    /// Asks, and answers what comes.
    ///
    /// - Parameter path: as it goes over the wire; nothing is encoded.
    nonisolated(nonsending) public func ask(
        _ path: String, by method: String = "GET", fields more: [String] = [], body: String? = nil
    ) async throws -> HTTPAnswer {
        let connection = try RawConnection(to: port, at: address)
        var lines = ["\(method) \(path) HTTP/1.1", "Host: localhost"] + fields + more
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        let head = lines.map { $0 + "\r\n" }.joined()
        try await connection.send(head + "\r\n" + (body ?? ""))
        return try await connection.answer(isHead: method == "HEAD")
    }

    /// Opens the event stream.
    ///
    /// - Parameter after: the newest final that the reader has; nil to say nothing of it.
    nonisolated(nonsending) public func events(
        after seq: Int? = nil, of log: String? = nil, fields more: [String] = [],
        receiveBuffer: Int32? = nil
    ) async throws -> EventStreamReader {
        let question = [seq.map { "after=\($0)" }, log.map { "log=\($0)" }].compactMap(\.self)
        return try await .open(
            port, "/events" + (question.isEmpty ? "" : "?" + question.joined(separator: "&")),
            fields: fields + more, receiveBuffer: receiveBuffer)
    }
}
