import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO

/// What `browse` prints.
struct ServiceList {
    let isJSON: Bool
    private var shown: [Entry] = []

    /// A service, ready to be shown: all text is free of control characters.
    struct Entry: Encodable, Equatable {
        var name: String
        var type: String
        var host: String
        var addresses: [String]
        var port: Int
        var txt: [String: String]
        /// Of a beamscribe host: whether it can be joined, and if not, why.
        var event: String?
        var deviceName: String?
        var session: String?
        var found: [String]?
        /// Where and on how many machines others hold its log; whether only they answer.
        var holders: [String]?
        var holdingMachines: Int?
        var hostIsSilent: Bool?
        var joinable: Bool?
        var why: String?

        /// Whether nothing is known of a host.
        var isHeldOnly: Bool { holders != nil && addresses.isEmpty }
    }

    private struct Change: Encodable {
        var change: String
        var service: Entry
    }

    init(isJSON: Bool) {
        self.isJSON = isJSON
    }

    func all(_ entries: [Entry]) -> String {
        entries.map { isJSON ? $0.json + "\n" : block($0, among: entries) }.joined()
    }

    /// What has changed since the last call.
    ///
    /// - Parameter all: also what is not to be shown yet, and may have the same name.
    mutating func changes(to entries: [Entry], among all: [Entry]) -> String {
        let gone = shown.filter { old in !entries.contains { $0.name == old.name } }
        let new = entries.filter { entry in !shown.contains { $0.name == entry.name } }
        let changed = entries.filter { entry in
            shown.contains { $0.name == entry.name && $0 != entry }
        }
        shown = entries
        return gone.map { text("-", "removed", $0, among: all) }.joined()
            + new.map { text("+", "added", $0, among: all) }.joined()
            + changed.map { text("=", "changed", $0, among: all) }.joined()
    }

    private func text(
        _ mark: String, _ change: String, _ entry: Entry, among all: [Entry]
    ) -> String {
        if isJSON { return Change(change: change, service: entry).json + "\n" }
        guard mark == "-" else { return "\(mark) " + block(entry, among: all) }
        return entry.isHeldOnly ? "- \(entry.event ?? "") (no host)\n" : "- \(entry.name)\n"
    }

    private func block(_ entry: Entry, among all: [Entry]) -> String {
        let isWhole = entry.event == nil || entry.deviceName != nil
        let name = entry.event ?? entry.name
        var rows = [isWhole ? name : HostWords.name(heard: name)]
        let addresses = entry.addresses.joined(separator: ", ")
        if entry.event != nil {
            rows += places(entry)
            let why = entry.why.map { "cannot be joined: \($0)" }
            rows.append("    " + (why ?? command(joining: entry, among: all)))
        } else {
            rows.append("    \(entry.host), \(addresses), port \(entry.port)")
            let txt = entry.txt.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            if !txt.isEmpty { rows.append("    " + txt.joined(separator: " ")) }
        }
        return rows.joined(separator: "\n") + "\n"
    }

    /// Where an event is to be had.
    private func places(_ entry: Entry) -> [String] {
        let machines = entry.holdingMachines ?? 0
        let place =
            entry.isHeldOnly
            ? HostWords.holders(machines, such: entry.deviceName)
            : entry.deviceName.map { "on \($0)" } ?? "heard by Bluetooth"
        let addresses = entry.isHeldOnly ? entry.holders ?? [] : entry.addresses
        let demand = entry.txt["sec"] == "code" ? ", asks for a code" : ""
        let row = "    \(place), \(addresses.joined(separator: ", "))\(demand)"
        guard !entry.isHeldOnly,
            let others = HostWords.others(machines, isHostSilent: entry.hostIsSilent == true)
        else { return [row] }
        return [row, "    \(others)"]
    }

    /// A name can look like an option, and `--exec` would run what it says. Where several have one
    /// name, it tells nobody which is meant.
    private func command(joining entry: Entry, among all: [Entry]) -> String {
        let event = entry.event ?? entry.name
        // Who is held only keeps nobody from a host of that name.
        let namesakes = all.filter {
            $0.event == entry.event && (entry.isHeldOnly || !$0.isHeldOnly)
        }
        if namesakes.count > 1, let address = entry.addresses.first ?? entry.holders?.first {
            return "beamscribe join --host \(address)"
        }
        let isLikeOption = event.utf8.first == UInt8(ascii: "-")
        return "beamscribe join \(isLikeOption ? "-- " : "")\(ShellWord(event).quoted)"
    }
}

extension ServiceList.Entry {
    init(_ host: DiscoveredHost) {
        self.init(
            name: host.id, type: DiscoveredHost.serviceType, host: host.hostName ?? "",
            addresses: host.endpoints.map(\.description) + host.channels.map(\.description),
            port: Int(host.endpoints.first?.port ?? 0),
            txt: ["sec": host.security])
        txt["fp"] = host.fingerprint
        event = host.eventName
        deviceName = host.deviceName
        session = host.session
        found = host.ways.map(\.rawValue).sorted()
        if !host.holders.isEmpty {
            holders = host.holders.map(\.description)
            holdingMachines = host.holdingMachines
        }
        if host.isHostSilent { hostIsSilent = true }
        joinable = host.reachability == .unknown ? nil : host.reachability == .reachable
        if case .unreachable(let reason) = host.reachability { why = reason }
    }

    init(_ service: ServiceInstance) {
        let pairs = service.txt.entries.map {
            (SafeText.line($0.key), SafeText.line($0.value ?? ""))
        }
        self.init(
            name: SafeText.line(service.name), type: service.type,
            host: SafeText.line(service.hostName),
            addresses: service.addresses.map(\.address.description), port: Int(service.port),
            txt: Dictionary(pairs, uniquingKeysWith: { first, _ in first }))
    }
}
