import Foundation
import TestSupport

/// What a guest remembers, read as a stranger would.
struct KnownHostsRecord: Decodable {
    var version: Int
    var hosts: [String: Entry]
    var addresses: [String: Entry]
    var events: [String: Event]

    struct Event: Decodable {
        var needsCode: Bool
        var hosts: [Entry]
    }

    struct Entry: Decodable {
        var fingerprint: String
        var firstSeen: Double
        var lastSeen: Double
    }

    static func path(in state: TemporaryFolder) -> String {
        state.path(of: "beamscribe/known-hosts.json")
    }

    init(in state: TemporaryFolder) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: Self.path(in: state)))
        self = try JSONDecoder().decode(KnownHostsRecord.self, from: data)
    }
}
