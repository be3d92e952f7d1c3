import Foundation

/// What a web server answers to one request, read by the letter of RFC 9112.
public struct HTTPAnswer: Sendable {
    public let status: Int
    /// The fields as they came, names in lower case.
    public let fields: [(name: String, value: String)]
    public internal(set) var body: [UInt8] = []

    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The values of a field, joined where there are several; nil where there is none.
    public subscript(name: String) -> String? {
        let values = fields.filter { $0.name == name.lowercased() }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The beginning of an answer. Takes its bytes; nil while it is not complete.
    public static func head(from bytes: inout [UInt8]) throws -> HTTPAnswer? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            .components(separatedBy: "\r\n")
        bytes.removeFirst(end.upperBound)
        guard let status = lines[0].wholeMatch(of: /HTTP\/1\.1 ([0-9]{3}) .*/)?.output.1 else {
            throw WaitFailed(what: "an answer", reason: "it is none", seen: lines[0])
        }
        let fields = try lines.dropFirst().map { line in
            guard let parts = line.wholeMatch(of: /([!-9;-~]+): ?(.*)/)?.output else {
                throw WaitFailed(what: "a field", reason: "it is none", seen: line)
            }
            return (name: parts.1.lowercased(), value: String(parts.2))
        }
        return HTTPAnswer(status: Int(status) ?? 0, fields: fields)
    }

    /// A whole answer. Takes its bytes; nil while it is not complete.
    ///
    /// - Parameters:
    ///   - isHead: whether HEAD was asked, which has no body.
    ///   - hasEnded: whether nothing more can come.
    static func whole(
        from bytes: inout [UInt8], isHead: Bool, hasEnded: Bool
    ) throws -> HTTPAnswer? {
        var rest = bytes
        guard var answer = try head(from: &rest) else { return nil }
        if isHead || answer.status == 204 || answer.status == 304 {
            answer.body = []
        } else if let length = answer["content-length"].flatMap({ Int($0) }) {
            guard rest.count >= length else { return nil }
            answer.body = Array(rest[..<length])
            rest.removeFirst(length)
        } else if answer["transfer-encoding"] == "chunked" {
            var chunks = ChunkDecoder()
            answer.body = try chunks.decode(&rest)
            guard chunks.isOver else { return nil }
        } else {
            guard hasEnded else { return nil }
            answer.body = rest
            rest = []
        }
        bytes = rest
        return answer
    }
}

extension RawConnection {
    /// The next answer.
    nonisolated(nonsending) public func answer(
        isHead: Bool = false, within limit: Duration = Deadline.generous
    ) async throws -> HTTPAnswer {
        try await read("an answer", within: limit) { bytes, hasEnded in
            try HTTPAnswer.whole(from: &bytes, isHead: isHead, hasEnded: hasEnded)
        }
    }
}
