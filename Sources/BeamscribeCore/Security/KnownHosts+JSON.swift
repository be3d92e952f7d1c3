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
        var hosts: [String: FileEntry]?
        var addresses: [String: FileEntry]?
        var events: [String: FileEvent]?
    }

    private struct FileEvent: Codable {
        var needsCode: Bool
        var hosts: [FileEntry]
    }

    private struct FileEntry: Codable {
        /// Of an event's host only.
        var device: String?
        var fingerprint: String
        var firstSeen: Double
        var lastSeen: Double

        init(_ entry: Entry) {
            fingerprint = entry.fingerprint.hex
            firstSeen = entry.firstSeen
            lastSeen = entry.lastSeen
        }

        init(_ host: EventHost) {
            device = host.device
            fingerprint = host.fingerprint.hex
            firstSeen = host.firstSeen
            lastSeen = host.lastSeen
        }

        var entry: Entry? {
            guard let fingerprint = Fingerprint(hex: fingerprint), firstSeen.isFinite,
                lastSeen.isFinite
            else { return nil }
            return Entry(fingerprint: fingerprint, firstSeen: firstSeen, lastSeen: lastSeen)
        }

        var eventHost: EventHost? {
            guard let entry, let device else { return nil }
            return EventHost(
                device: device, fingerprint: entry.fingerprint, firstSeen: entry.firstSeen,
                lastSeen: entry.lastSeen)
        }
    }

    /// The hosts as JSON, with sorted keys and a line break at its end.
    public var json: [UInt8] {
        var file = File(hosts: [:], addresses: [:], events: [:])
        for (identity, entry) in entries {
            switch identity {
            case .device(let name): file.hosts?[name] = FileEntry(entry)
            case .address(let address): file.addresses?[address] = FileEntry(entry)
            }
        }
        for event in events.values {
            file.events?[event.name] = FileEvent(
                needsCode: event.needsCode, hosts: event.hosts.map { FileEntry($0) })
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
        guard let file = try? JSONDecoder().decode(File.self, from: Data(json)),
            (Self.oldVersion...Self.version).contains(file.version),
            let entries = Self.entries(of: file), let events = Self.events(of: file)
        else { return nil }
        self.init(entries, events)
    }

    private static func entries(of file: File) -> [HostIdentity: Entry]? {
        var entries: [HostIdentity: Entry] = [:]
        let parts = [
            (file.hosts ?? [:], HostIdentity.device), (file.addresses ?? [:], HostIdentity.address),
        ]
        for (part, identity) in parts {
            for (name, entry) in part {
                guard let entry = entry.entry else { return nil }
                entries[identity(name)] = entry
            }
        }
        return entries
    }

    private static func events(of file: File) -> [Event]? {
        var events: [Event] = []
        for (name, event) in file.events ?? [:] {
            let hosts = event.hosts.compactMap(\.eventHost)
            guard hosts.count == event.hosts.count, !hosts.isEmpty,
                hosts.count <= Limits.hostsPerEvent
            else { return nil }
            events.append(Event(name: name, hosts: hosts, needsCode: event.needsCode))
        }
        return events
    }
}
