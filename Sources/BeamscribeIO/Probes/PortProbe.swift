internal import BeamscribeCore

/// Whether a TCP port can be had, and whether connections to this machine's addresses get there.
public enum PortProbe {
    /// What a try at a port and some addresses gave.
    public struct Findings: Equatable, Sendable {
        /// Why nobody can listen at the port as it is; nil if it is free.
        public var refusal: SystemError?
        /// The addresses at which a connection was made.
        public var reached: [IPAddress]
        /// The addresses at which none was made, with the reason as a clause.
        public var unreached: [Unreached]

        /// What was found.
        public init(
            refusal: SystemError? = nil, reached: [IPAddress] = [], unreached: [Unreached] = []
        ) {
            self.refusal = refusal
            self.reached = reached
            self.unreached = unreached
        }
    }

    /// An address that did not answer.
    public struct Unreached: Equatable, Sendable {
        /// The address.
        public var address: IPAddress
        /// Why, as a clause.
        public var reason: String

        /// An address and the reason.
        public init(address: IPAddress, reason: String) {
            self.address = address
            self.reason = reason
        }
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
            var listeners: [Held] = []
            for address in addresses {
                let wanted = Endpoint(address, port: findings.refusal == nil ? port : 0)
                let held = try Held(wanted) { findings.refusal = $0 }
                if let held { listeners.append(held) }
            }
            try connect(to: listeners.map(\.endpoint), patience: patience, &findings)
            withExtendedLifetime(listeners) {}
        } catch {
            findings.refusal = error
        }
        return findings
    }

    /// A listener that may be kept in an array.
    private final class Held {
        let listener: Listener
        var endpoint: Endpoint { listener.endpoint }

        /// Nil at an address that is not ready yet.
        init?(
            _ endpoint: Endpoint, taken: (SystemError) -> Void
        ) throws(SystemError) {
            do throws(SystemError) {
                listener = try Listener(at: endpoint)
            } catch {
                if error.isAddressNotReady { return nil }
                guard error.isAddressInUse, endpoint.port != 0 else { throw error }
                taken(error)
                listener = try Listener(at: Endpoint(endpoint.address, port: 0))
            }
        }
    }

    private static func connect(
        to endpoints: [Endpoint], patience: Duration, _ findings: inout Findings
    ) throws(SystemError) {
        guard !endpoints.isEmpty else { return }
        let loop = try EventLoop()
        var open = endpoints.count
        var results: [Endpoint: String?] = [:]
        let done = { (endpoint: Endpoint, reason: String?) in
            results[endpoint] = .some(reason)
            open -= 1
            if open == 0 { loop.stop() }
        }
        let dialers = endpoints.map { endpoint in
            Dialer(
                [endpoint], timeout: patience, on: loop,
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
