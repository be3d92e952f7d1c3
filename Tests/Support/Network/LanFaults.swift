/// What is wrong with a lab's network, as rules for the bridge. Hosts are known by their index.
struct LanFaults: Sendable {
    var silent: Set<Int> = []
    /// Percent of the frames that are lost, each way.
    var loss: [Int: Int] = [:]
    /// Ports that a host's frames may not come from or go to, such as "udp 5353".
    var blocked: [Int: Set<String>] = [:]
    /// Hosts of different groups do not reach each other.
    var groups: [[Int]] = []
    /// Pairs of hosts that do not reach each other.
    var walls: [[Int]] = []
    /// Hosts whose firewall lets nobody begin a TCP connection to them.
    var closed: Set<Int> = []

    mutating func heal(_ host: Int) {
        silent.remove(host)
        loss[host] = nil
        blocked[host] = nil
        closed.remove(host)
    }

    /// The name of the bridge's port that host `index` is plugged into.
    static func port(_ index: Int) -> String { "port\(index)" }

    /// The whole table; loading it replaces the one before in one step.
    var table: String {
        """
        table bridge faults
        delete table bridge faults
        table bridge faults {
            chain forward {
                type filter hook forward priority 0; policy accept;
                \(rules.joined(separator: "\n        "))
            }
        }

        """
    }

    private var rules: [String] {
        let silence = silent.sorted().flatMap { bothWays($0, "drop") }
        let blocks = blocked.flatMap { host, ports in ports.flatMap { blockRules(host, $0) } }
        let losses = loss.flatMap { host, percent in
            bothWays(host, percent < 100 ? "numgen random mod 100 < \(percent) drop" : "drop")
        }
        let partitions = groups.indices.flatMap(partitionRules)
        return silence + blocks + losses + partitions + wallRules + closedRules
    }

    private var wallRules: [String] {
        walls.flatMap { [wallRule($0[0], $0[1]), wallRule($0[1], $0[0])] }
    }

    private var closedRules: [String] {
        closed.sorted().map {
            "oifname \"\(LanFaults.port($0))\" tcp flags & (syn | ack) == syn drop"
        }
    }

    private func wallRule(_ from: Int, _ to: Int) -> String {
        "iifname \"\(LanFaults.port(from))\" oifname \"\(LanFaults.port(to))\" drop"
    }

    private func bothWays(_ host: Int, _ rest: String) -> [String] {
        ["iifname", "oifname"].map { "\($0) \"\(LanFaults.port(host))\" \(rest)" }
    }

    private func blockRules(_ host: Int, _ port: String) -> [String] {
        let words = port.split(separator: " ")
        return ["sport", "dport"].flatMap {
            bothWays(host, "meta l4proto \(words[0]) th \($0) \(words[1]) drop")
        }
    }

    private func partitionRules(_ group: Int) -> [String] {
        let others = groups.enumerated().filter { $0.offset != group }.flatMap(\.element)
        return groups[group].flatMap { from in
            others.map { wallRule(from, $0) }
        }
    }
}
