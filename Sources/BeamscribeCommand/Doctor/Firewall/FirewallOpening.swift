/// How the machine's firewall is opened: the commands for the program that manages it.
struct FirewallOpening: Equatable {
    var manager: Manager
    var machine: Machine

    /// Who decides on the rules.
    enum Manager: Equatable {
        case ufw
        case firewalld
        /// Nobody but the rules themselves; the chain is the one that drops.
        case nftables(NftRuleset.ChainName)
        case unknown
    }

    /// What is to be let in.
    enum Service: Equatable {
        case multicastDNS
        case connections(port: UInt16)
    }

    /// What to do, as a sentence.
    func sentence(for service: Service) -> String {
        switch manager {
        case .ufw: "Let \(words(service)) in with \(machine.asRoot(command(service)))."
        case .firewalld, .nftables:
            "Let \(words(service)) in, until the next start, with "
                + "\(machine.asRoot(command(service)))."
        case .unknown:
            "Most likely a firewall drops it: let \(words(service)) in, with ufw by "
                + "\(machine.asRoot("ufw allow \(portAndTransport(service))"))."
        }
    }

    private func command(_ service: Service) -> String {
        switch manager {
        case .ufw, .unknown: return "ufw allow \(portAndTransport(service))"
        case .firewalld:
            if service == .multicastDNS { return "firewall-cmd --add-service=mdns" }
            return "firewall-cmd --add-port=\(portAndTransport(service))"
        case .nftables(let chain):
            let parts = portAndTransport(service).split(separator: "/")
            return "nft insert rule \(chain) \(parts[1]) dport \(parts[0]) accept"
        }
    }

    private func portAndTransport(_ service: Service) -> String {
        switch service {
        case .multicastDNS: "5353/udp"
        case .connections(let port): "\(port)/tcp"
        }
    }

    private func words(_ service: Service) -> String {
        switch service {
        case .multicastDNS: "UDP port 5353"
        case .connections(let port): "TCP port \(port)"
        }
    }
}
