import FoundationEssentials

/// The packet filter's rules as `nft -j list ruleset` prints them (libnftables-json(5)).
struct NftRuleset: Equatable, Sendable {
    private(set) var chains: [ChainName: Chain] = [:]
    private(set) var sets: [ChainName: [JSONValue]] = [:]

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

    struct Chain: Equatable, Sendable {
        /// Where packets enter it; nil for a chain that is only jumped to.
        var hook: String?
        var priority = 0
        var drops = false
        var rules: [[JSONValue]] = []
    }

    enum Outcome {
        case accept
        case drop
        /// Nothing was decided; the rules after have their turn.
        case next
    }

    /// Nil where `text` is no such list.
    init?(_ text: String) {
        guard
            let document = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)),
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
}
