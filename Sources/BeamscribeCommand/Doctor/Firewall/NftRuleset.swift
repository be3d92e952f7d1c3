import BeamscribeCore
import FoundationEssentials

/// The packet filter's rules as `nft -j list ruleset` prints them (libnftables-json(5)).
struct NftRuleset: Equatable, Sendable {
    private var chains: [ChainName: Chain] = [:]
    private var sets: [ChainName: [JSONValue]] = [:]

    /// A chain, or a set, by its family, table and name.
    struct ChainName: Hashable, Sendable, CustomStringConvertible {
        var family: String
        var table: String
        var name: String

        /// As `nft` takes it on its command line.
        var description: String { "\(family) \(table) \(name)" }
    }

    /// What can become of a packet.
    enum Fate: Equatable {
        case passes
        case dropped(by: ChainName)
        /// It depends on what cannot be known beforehand.
        case uncertain(at: ChainName)
    }

    private struct Chain: Equatable, Sendable {
        /// Where packets enter it; nil for a chain that is only jumped to.
        var hook: String?
        var priority = 0
        var drops = false
        var rules: [[JSONValue]] = []
    }

    private enum Outcome {
        case accept
        case drop
        /// Nothing was decided; the rules after have their turn.
        case next
    }

    /// Nil where `text` is no such list.
    init?(_ text: String) {
        guard
            let document = try? OutsideJSON().decode(JSONValue.self, from: Data(text.utf8)),
            let items = document["nftables"]?.array
        else { return nil }
        for case (let kind, let value)? in items.map(\.only) {
            let name = Self.name(value, kind == "rule" ? "chain" : "name")
            switch kind {
            case "chain":
                chains[name, default: Chain()].hook = value["hook"]?.string
                chains[name]?.priority = value["prio"]?.number ?? 0
                chains[name]?.drops = value["policy"]?.string == "drop"
            case "rule": chains[name, default: Chain()].rules.append(value["expr"]?.array ?? [])
            case "set", "map": sets[name] = value["elem"]?.array ?? []
            default: break
            }
        }
    }

    private static func name(_ value: JSONValue, _ key: String) -> ChainName {
        ChainName(
            family: value["family"]?.string ?? "", table: value["table"]?.string ?? "",
            name: value[key]?.string ?? "")
    }

    /// What becomes of `packet` on its way to a program of this machine.
    func fate(of packet: FirewallPacket) -> Fate {
        let families = ["inet", packet.isIPv6 ? "ip6" : "ip"]
        let entrances = chains.filter { name, chain in
            families.contains(name.family) && ["prerouting", "input"].contains(chain.hook)
        }
        let ordered = entrances.sorted {
            ($0.value.hook == "input" ? 1 : 0, $0.value.priority, $0.key.description)
                < ($1.value.hook == "input" ? 1 : 0, $1.value.priority, $1.key.description)
        }
        var fate = Fate.passes
        for (name, chain) in ordered {
            var outcomes = outcomes(of: packet, in: name, depth: 0)
            if outcomes.remove(.next) != nil { outcomes.insert(chain.drops ? .drop : .accept) }
            if outcomes == [.drop] { return .dropped(by: name) }
            if outcomes.contains(.drop), fate == .passes { fate = .uncertain(at: name) }
        }
        return fate
    }

    // MARK: What happens in a chain

    /// All that can happen in a chain. nft allows 16 jumps in a row.
    private func outcomes(
        of packet: FirewallPacket, in name: ChainName, depth: Int
    ) -> Set<Outcome> {
        var all: Set<Outcome> = []
        guard let chain = chains[name], depth <= 16 else { return [.next] }
        for rule in chain.rules {
            let (match, verdicts) = evaluate(rule, packet, name)
            guard match != .no, !verdicts.isEmpty else { continue }
            let paths = verdicts.map { follow($0, packet, name, depth) }
            // A chain that was gone to does not come back, which is to return from this one.
            for path in paths {
                all.formUnion(path.isEnd ? path.outcomes : path.outcomes.subtracting([.next]))
            }
            let goesOn = paths.contains { !$0.isEnd && $0.outcomes.contains(.next) }
            if match == .yes, !goesOn { return all }
        }
        return all.union([.next])
    }

    /// What a verdict leads to, and whether the rules after it have no turn.
    private func follow(
        _ verdict: JSONValue, _ packet: FirewallPacket, _ name: ChainName, _ depth: Int
    ) -> (outcomes: Set<Outcome>, isEnd: Bool) {
        guard let (kind, value) = verdict.only else { return ([.next], false) }
        switch kind {
        case "accept": return ([.accept], true)
        case "drop", "reject": return ([.drop], true)
        case "queue": return ([.accept, .drop], true)
        case "return": return ([.next], true)
        case "jump", "goto":
            let target = ChainName(
                family: name.family, table: name.table, name: value["target"]?.string ?? "")
            return (outcomes(of: packet, in: target, depth: depth + 1), kind == "goto")
        default: return ([.next], false)
        }
    }

    // MARK: One rule

    /// Whether the rule applies, and the verdicts it may have; none where it only counts
    /// or logs.
    private func evaluate(
        _ rule: [JSONValue], _ packet: FirewallPacket, _ chain: ChainName
    ) -> (match: RuleMatch, verdicts: [JSONValue]) {
        var match = RuleMatch.yes
        for (kind, value) in rule.compactMap(\.only) {
            var here = RuleMatch.yes
            switch kind {
            case "match":
                here = self.match(value["left"], value["op"], value["right"], packet, chain)
            case "vmap":
                let (found, verdicts) = look(up: value, packet, chain)
                return (match == .yes || found == .no ? found : .perhaps, verdicts)
            case "accept", "drop", "reject", "queue", "return", "jump", "goto":
                return (match, [.object([kind: value])])
            case "counter", "log", "mangle", "notrack", "meter": break
            default: here = .perhaps
            }
            if here == .no { return (.no, []) }
            if here == .perhaps { match = .perhaps }
        }
        return (match, [])
    }

    /// The verdicts that a verdict map may have for the packet.
    private func look(
        up map: JSONValue, _ packet: FirewallPacket, _ chain: ChainName
    ) -> (match: RuleMatch, verdicts: [JSONValue]) {
        var data = map["data"]?["set"]?.array
        if let name = map["data"]?.string { data = elements(chain, String(name.dropFirst())) }
        var possible: [JSONValue] = []
        for pair in (data ?? []).compactMap(\.array) where pair.count == 2 {
            switch self.match(map["key"], .string("=="), pair[0], packet, chain) {
            case .yes: return (possible.isEmpty ? .yes : .perhaps, possible + [pair[1]])
            case .perhaps: possible.append(pair[1])
            case .no: continue
            }
        }
        return (possible.isEmpty ? .no : .perhaps, possible)
    }

    private func match(
        _ left: JSONValue?, _ operation: JSONValue?, _ right: JSONValue?,
        _ packet: FirewallPacket, _ chain: ChainName
    ) -> RuleMatch {
        NftCondition(
            left: left ?? .null, operation: operation?.string ?? "", right: right ?? .null,
            elements: { elements(chain, $0) }, packet: packet
        ).holds
    }

    private func elements(_ chain: ChainName, _ name: String) -> [JSONValue]? {
        sets[ChainName(family: chain.family, table: chain.table, name: name)]
    }
}
