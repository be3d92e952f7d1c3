import BeamscribeCore

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

    func sentence(for service: Service) -> String {
        let words = "\(service.transport.uppercased()) port \(service.port)"
        let command = machine.asRoot(command(service))
        return switch manager {
        case .ufw: "Let \(words) in with \(command)."
        case .firewalld, .nftables: "Let \(words) in, until the next start, with \(command)."
        case .unknown:
            "Most likely a firewall drops it: let \(words) in, with ufw by \(command)."
        }
    }

    private func command(_ service: Service) -> String {
        let place = "\(service.port)/\(service.transport)"
        return switch manager {
        case .ufw, .unknown: "ufw allow \(place)"
        case .firewalld where service == .multicastDNS: "firewall-cmd --add-service=mdns"
        case .firewalld: "firewall-cmd --add-port=\(place)"
        case .nftables(let chain):
            "nft insert rule \(chain) \(service.transport) dport \(service.port) accept"
        }
    }
}

extension FirewallOpening.Service {
    var port: UInt16 { if case .connections(let port) = self { port } else { 5_353 } }
    /// `tcp` or `udp`.
    var transport: String { self == .multicastDNS ? "udp" : "tcp" }
}
