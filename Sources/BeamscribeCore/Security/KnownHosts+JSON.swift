internal import FoundationEssentials

/// The contents of `known-hosts.json`:
///
///     {"version": 2,
///      "hosts":     {"stage":           {"fingerprint": "<64 hex digits>",
///                                        "firstSeen": 1700000000.5, "lastSeen": 1700000060}},
///      "addresses": {"192.0.2.1:23267": {...}},
///      "events":    {"Town Hall": {"needsCode": true,
///                                  "hosts": [{"device": "stage", "fingerprint": ..., ...}]}}}
///
/// Version 1 had no events. It is read, and written as version 2.
extension KnownHosts {
    private static let version = 2
    private static let oldVersion = 1

    /// The file's form. Keys that are not known are passed over.
    private struct File: Codable {
        var version = KnownHosts.version
        var hosts: [String: Entry]?
        var addresses: [String: Entry]?
        var events: [String: FileEvent]?
    }

    private struct FileEvent: Codable {
        var needsCode: Bool
        var hosts: [EventHost]
    }

    /// The hosts as JSON, with sorted keys and a line break at its end.
    public var json: [UInt8] {
        var file = File(hosts: [:], addresses: [:], events: [:])
        for (identity, entry) in entries {
            switch identity {
            case .device(let name): file.hosts?[name] = entry
            case .address(let address): file.addresses?[address] = entry
            }
        }
        for event in events.values {
            file.events?[event.name] = FileEvent(needsCode: event.needsCode, hosts: event.hosts)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        // Encoding fails for numbers that are not finite only, and none is remembered.
        guard let data = try? encoder.encode(file) else { return [] }
        return Array(data) + [UInt8(ascii: "\n")]
    }

    /// The hosts that `json` holds; nil where it is of another version or anything in it is not as
    /// it should be. A host must not pass for new because its entry was damaged.
    public init?(json: [UInt8]) {
        guard let file = try? OutsideJSON().decode(File.self, from: Data(json)),
            (Self.oldVersion...Self.version).contains(file.version),
            file.events?.values.allSatisfy({ (1...Limits.hostsPerEvent).contains($0.hosts.count) })
                ?? true
        else { return nil }
        var entries: [HostIdentity: Entry] = [:]
        for (name, entry) in file.hosts ?? [:] { entries[.device(name)] = entry }
        for (address, entry) in file.addresses ?? [:] { entries[.address(address)] = entry }
        let events = (file.events ?? [:]).map { name, event in
            Event(name: name, hosts: event.hosts, needsCode: event.needsCode)
        }
        self.init(entries, events)
    }
}
