extension NftRuleset {
    /// All that can happen in a chain. nft allows 16 jumps in a row.
    func outcomes(
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
                here = condition(value["left"], value["op"], value["right"], chain)
                    .holds(for: packet)
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
            switch condition(map["key"], .string("=="), pair[0], chain).holds(for: packet) {
            case .yes: return (possible.isEmpty ? .yes : .perhaps, possible + [pair[1]])
            case .perhaps: possible.append(pair[1])
            case .no: continue
            }
        }
        return (possible.isEmpty ? .no : .perhaps, possible)
    }

    private func condition(
        _ left: JSONValue?, _ operation: JSONValue?, _ right: JSONValue?, _ chain: ChainName
    ) -> NftCondition {
        NftCondition(
            left: left ?? .null, operation: operation?.string ?? "", right: right ?? .null,
            elements: { elements(chain, $0) })
    }

    private func elements(_ chain: ChainName, _ name: String) -> [JSONValue]? {
        sets[ChainName(family: chain.family, table: chain.table, name: name)]
    }
}
