internal import FoundationEssentials

/// The contents of `known-hosts.json`:
///
///     {"version": 1,
///      "hosts":     {"stage":           {"fingerprint": "<64 hex digits>",
///                                        "firstSeen": 1700000000.5, "lastSeen": 1700000060}},
///      "addresses": {"192.0.2.1:23267": {...}}}
extension KnownHosts {
    private static let version = 1

    /// The file's form. Keys that are not known are passed over.
    private struct File: Codable {
        var version = KnownHosts.version
        var hosts: [String: FileEntry]?
        var addresses: [String: FileEntry]?
    }

    private struct FileEntry: Codable {
        var fingerprint: String
        var firstSeen: Double
        var lastSeen: Double

        init(_ entry: Entry) {
            fingerprint = entry.fingerprint.hex
            firstSeen = entry.firstSeen
            lastSeen = entry.lastSeen
        }

        var entry: Entry? {
            guard let fingerprint = Fingerprint(hex: fingerprint), firstSeen.isFinite,
                lastSeen.isFinite
            else { return nil }
            return Entry(fingerprint: fingerprint, firstSeen: firstSeen, lastSeen: lastSeen)
        }
    }

    /// The hosts as JSON, with sorted keys and a line break at its end.
    public var json: [UInt8] {
        var file = File(hosts: [:], addresses: [:])
        for (identity, entry) in entries {
            switch identity {
            case .device(let name): file.hosts?[name] = FileEntry(entry)
            case .address(let address): file.addresses?[address] = FileEntry(entry)
            }
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
            file.version == Self.version
        else { return nil }
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
        self.init(entries)
    }
}
