import Foundation
import TestSupport

/// The sessions that hosts have left in a state folder.
struct SessionFolder {
    private let events: String

    init(_ state: TemporaryFolder) {
        events = state.path + "/beamscribe/events"
    }

    /// The ids, in no order.
    var ids: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: events)) ?? []
    }

    /// The only session's id.
    func onlyID() throws -> String {
        guard let id = ids.first, ids.count == 1 else {
            throw WaitFailed(what: "one session", reason: "there are others", seen: "\(ids)")
        }
        return id
    }

    /// Where the log of the only session is.
    func log() throws -> String { "\(events)/\(try onlyID())/log" }

    /// The texts in the only session's log, read as a stranger would: by the length prefixes.
    func texts() throws -> [String] {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: try log())))
        var texts: [String] = []
        var position = 0
        while position + 4 <= bytes.count {
            let length = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            guard length > 0, position + 4 + length <= bytes.count else { break }
            let payload = Data(bytes[position + 4..<position + 4 + length])
            let object = try JSONSerialization.jsonObject(with: payload) as? [String: Any]
            texts.append(object?["text"] as? String ?? "?")
            position += 4 + length
        }
        return texts
    }

    /// What the only session's record says.
    func record() throws -> [String: Any] {
        let data = try Data(
            contentsOf: URL(fileURLWithPath: "\(events)/\(try onlyID())/meta.json"))
        return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }
}
