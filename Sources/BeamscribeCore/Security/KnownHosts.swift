/// The keys of the hosts that a guest has joined: trust on first use. A host that comes with
/// another key than the remembered one is not the host that was here before.
///
/// Invariant: there are at most ``Limits/knownHosts`` entries; the ones seen last stay.
public struct KnownHosts: Equatable, Sendable {
    /// What is to be thought of a key.
    public enum Verdict: Equatable, Sendable {
        /// Nothing is remembered of this host.
        case firstUse
        /// It is the remembered key.
        case known
        /// Another key is remembered, since a time in seconds since 1970.
        case changed(remembered: Fingerprint, since: Double)
    }

    /// What is remembered of a host. Times are in seconds since 1970.
    struct Entry: Equatable {
        var fingerprint: Fingerprint
        var firstSeen: Double
        var lastSeen: Double
    }

    private(set) var entries: [HostIdentity: Entry] = [:]

    /// Nothing is remembered.
    public init() {}

    init(_ entries: [HostIdentity: Entry]) {
        self.entries = entries
        keepLimit()
    }

    /// How many hosts are remembered.
    public var count: Int { entries.count }

    /// The remembered key; nil for none.
    public func fingerprint(of identity: HostIdentity) -> Fingerprint? {
        entries[identity]?.fingerprint
    }

    /// Since when this key is remembered, in seconds since 1970; nil where none is.
    public func knownSince(_ identity: HostIdentity) -> Double? { entries[identity]?.firstSeen }

    /// Compares the key that a host came with to the remembered one. Changes nothing: a key is
    /// remembered by ``remember(_:of:at:)`` only.
    public func judge(_ fingerprint: Fingerprint, of identity: HostIdentity) -> Verdict {
        guard let entry = entries[identity] else { return .firstUse }
        if entry.fingerprint == fingerprint { return .known }
        return .changed(remembered: entry.fingerprint, since: entry.firstSeen)
    }

    /// Remembers the key with which a host was seen, in place of any other key. Where there are
    /// too many hosts, the one longest unseen is forgotten.
    ///
    /// - Parameter time: in seconds since 1970.
    public mutating func remember(
        _ fingerprint: Fingerprint, of identity: HostIdentity, at time: Double
    ) {
        // JSON has no way to write what is not finite, and the file must not fail for a clock.
        let time = time.isFinite ? time : 0
        let known = entries[identity].flatMap { $0.fingerprint == fingerprint ? $0 : nil }
        entries[identity] = nil
        keepLimit(Limits.knownHosts - 1)
        entries[identity] = Entry(
            fingerprint: fingerprint, firstSeen: known?.firstSeen ?? time, lastSeen: time)
    }

    /// Forgets a host; false where nothing was remembered of it.
    @discardableResult
    public mutating func forget(_ identity: HostIdentity) -> Bool {
        entries.removeValue(forKey: identity) != nil
    }

    /// Forgets those longest unseen beyond `limit`.
    private mutating func keepLimit(_ limit: Int = Limits.knownHosts) {
        let surplus = entries.count - limit
        if surplus == 1, let oldest = entries.min(by: Self.isSeenEarlier) {
            entries[oldest.key] = nil
        } else if surplus > 0 {
            let oldest = entries.sorted(by: Self.isSeenEarlier).prefix(surplus)
            for (identity, _) in oldest { entries[identity] = nil }
        }
    }

    private static func isSeenEarlier(
        _ one: (key: HostIdentity, value: Entry), _ other: (key: HostIdentity, value: Entry)
    ) -> Bool {
        one.value.lastSeen < other.value.lastSeen
    }
}
