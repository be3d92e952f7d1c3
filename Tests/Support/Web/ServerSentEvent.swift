import Foundation

/// An event of an event stream.
public struct ServerSentEvent: Equatable, Sendable {
    /// Its name; empty for a plain message.
    public var name = ""
    /// The id that came with it.
    public var id: String?
    public var data = ""
    /// How long the reader should wait before it comes again, in milliseconds.
    public var retry: Int?

    /// The lines of one event, as the HTML standard (section 9.2.6) reads them.
    init(_ lines: some Sequence<Substring>) throws {
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? String(parts[1].drop { $0 == " " }) : ""
            switch parts[0] {
            case "event": name = value
            case "id": id = value
            case "data": data += (data.isEmpty ? "" : "\n") + value
            case "retry": retry = Int(value)
            default: throw WaitFailed(what: "an event", reason: "a field", seen: String(line))
            }
        }
    }

    /// Its data as an object of JSON; empty where they are none.
    public var object: [String: Any] {
        let object = try? JSONSerialization.jsonObject(with: Data(data.utf8))
        return object as? [String: Any] ?? [:]
    }

    /// The text of a caption.
    public var text: String? { object["text"] as? String }
    /// The kind of an alert.
    public var kind: String? { object["kind"] as? String }
}
