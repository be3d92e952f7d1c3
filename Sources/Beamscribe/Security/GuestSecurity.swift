public import BeamscribeCore
public import BeamscribeIO
public import BeamscribeTLS

/// What a guest asks of the host that it joins.
public enum GuestSecurity: Sendable {
    /// Nothing, not even encryption. The host has to agree.
    case plain
    /// The key that it had before; of a host that is met for the first time, any.
    case key(KnownKeys)
    /// That it knows the event's code.
    case code(PreSharedKey)

    /// How a guest knows hosts by their keys: trust on first use.
    public struct KnownKeys: Sendable {
        /// What the host's key is remembered under; nil for the name of its device, which the host
        /// tells.
        public var identity: HostIdentity?
        /// What is remembered.
        public var known = KnownHosts()
        /// Where that is kept; nil to keep nothing.
        public var file: KnownHostsFile?
        /// What the user expects the fingerprint to be, which counts for more than what is
        /// remembered.
        public var pin: FingerprintPin?
        /// Whether another key than the remembered one is taken, and remembered from now on.
        public var forgets = false

        /// Knows nobody and remembers nobody.
        public init() {}
    }
}
