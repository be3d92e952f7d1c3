internal import BeamscribeCore

/// Whether a TCP port can be had, and whether connections to this machine's addresses get there.
public enum PortProbe {
    /// What a try at a port and some addresses gave.
    public struct Findings: Equatable, Sendable {
        /// Why nobody can listen at the port as it is; nil if it is free.
        public var refusal: SystemError?
        /// The addresses at which a connection was made.
        public var reached: [IPAddress] = []
        /// The addresses at which none was made, with the reason as a clause.
        public var unreached: [Unreached] = []
    }

    /// An address that did not answer.
    public struct Unreached: Equatable, Sendable {
        public var address: IPAddress
        /// Why, as a clause.
        public var reason: String
    }

    /// Listens at `port`, or at a free one where that is taken, at each of `addresses`, and
    /// connects to each. Blocks for `patience` at most, and holds the port no longer.
    ///
    /// Such a connection does not leave the machine, so a firewall's rules for one interface alone
    /// do not show here.
    public static func run(
        port: UInt16, at addresses: [IPAddress], patience: Duration
    ) -> Findings {
        var findings = Findings()
        do throws(SystemError) {
            let loop = try EventLoop()
            var listeners: [Listener] = []
            for address in addresses {
                let wanted = Endpoint(address, port: findings.refusal == nil ? port : 0)
                if let made = try listener(at: wanted, on: loop, &findings) {
                    listeners.append(made)
                }
            }
            connect(
                to: listeners.map(\.endpoint), patience: patience, on: loop, &findings)
            withExtendedLifetime(listeners) {}
        } catch {
            findings.refusal = error
        }
        return findings
    }

    /// Nil at an address that is not ready yet.
    private static func listener(
        at endpoint: Endpoint, on loop: EventLoop, _ findings: inout Findings
    ) throws(SystemError) -> Listener? {
        do throws(SystemError) {
            return try Listener(at: endpoint, on: loop)
        } catch {
            if error.isAddressNotReady { return nil }
            guard error.isAddressInUse, endpoint.port != 0 else { throw error }
            findings.refusal = error
            return try Listener(at: Endpoint(endpoint.address, port: 0), on: loop)
        }
    }

    private static func connect(
        to endpoints: [Endpoint], patience: Duration, on loop: EventLoop,
        _ findings: inout Findings
    ) {
        guard !endpoints.isEmpty else { return }
        let network = SystemNetwork(on: loop)
        var open = endpoints.count
        var results: [Endpoint: String?] = [:]
        let done = { (endpoint: Endpoint, reason: String?) in
            results[endpoint] = .some(reason)
            open -= 1
            if open == 0 { loop.stop() }
        }
        let dialers = endpoints.map { endpoint in
            Dialer(
                [.network(endpoint)], timeout: patience, over: network,
                connected: { _, _ in done(endpoint, nil) }, failed: { done(endpoint, $0.why) })
        }
        loop.run()
        withExtendedLifetime(dialers) {}
        for endpoint in endpoints {
            if let reason = results[endpoint] ?? nil {
                findings.unreached.append(Unreached(address: endpoint.address, reason: reason))
            } else {
                findings.reached.append(endpoint.address)
            }
        }
    }
}
