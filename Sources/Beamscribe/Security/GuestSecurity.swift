public import BeamscribeCore
public import BeamscribeIO
package import BeamscribeTLS

/// What a guest asks of the host that it joins.
public struct GuestSecurity: Sendable {
    /// Whether it does without encryption, and so without proofs. The host has to agree.
    public var isPlain = false
    /// The event's code: the host has to ask for it, and to know it. Nil to join without one.
    public var code: EventCode?
    /// What is thought of hosts' keys.
    public var keys = KnownKeys()
    /// What makes the proof's secret of the code and a session's salt; tests have no tenth of a second.
    package var makeSecret: @Sendable (EventCode, [UInt8]) -> CodeSecret? = {
        try? CodeSecret(of: $0, salt: $1)
    }

    /// Trusts whoever answers, with encryption.
    public init() {}

    /// Asks for no encryption.
    public static var plain: GuestSecurity {
        var security = GuestSecurity()
        security.isPlain = true
        return security
    }

    /// How a guest knows hosts by their keys: trust on first use.
    public struct KnownKeys: Sendable {
        /// The names under which the host was found; it tells its own when it lets the guest in, and
        /// is judged by both.
        public var announced = Introduction()
        /// The keys that are remembered.
        public var known = KnownHosts()
        /// Where that is kept; nil to keep nothing.
        public var file: KnownHostsFile?
        /// What the user expects the fingerprint to be, which counts for more than what is
        /// remembered.
        public var pin: FingerprintPin?
        /// Whether another key than a device's or an address's remembered one is taken, and
        /// remembered from now on.
        public var forgets = false
        /// Whether a host is taken that has not hosted the event before.
        public var acceptsNewHosts = false
        /// Keys that the user has said yes to, knowing that they have not.
        public var accepted: Set<Fingerprint> = []

        /// Knows nobody and remembers nobody.
        public init() {}
    }
}
