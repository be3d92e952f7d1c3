/// The keys of the hosts that a guest has joined, under the names that people go by: trust on first
/// use. A host that comes under an old name with another key is not the host that was here before.
///
/// Invariant: there are at most ``Limits/knownHosts`` devices and addresses and at most
/// ``Limits/knownEvents`` events with at most ``Limits/hostsPerEvent`` hosts each; what was seen
/// last stays.
public struct KnownHosts: Equatable, Sendable {
    /// What is to be thought of a key that came under some names.
    public enum Verdict: Equatable, Sendable {
        /// Nothing is remembered under any of the names.
        case firstMeeting
        /// It is the remembered key, and nothing speaks against it.
        case known
        /// Another key is remembered under this name, since a time in seconds since 1970.
        case changed(HostIdentity, remembered: Fingerprint, since: Double)
        /// The event was always hosted by others.
        case newHost(event: String, known: [EventHost])
        /// The event always needed a code, and this host asks for none.
        case codeIsGone(event: String)
    }

    /// What is remembered of a device or an address. Times are in seconds since 1970.
    struct Entry: Codable, Equatable {
        var fingerprint: Fingerprint
        var firstSeen: Double
        var lastSeen: Double
    }

    /// One that has hosted an event. Times are in seconds since 1970.
    public struct EventHost: Codable, Equatable, Sendable {
        /// The host's name for people.
        public var device: String
        /// Its key.
        public var fingerprint: Fingerprint
        var firstSeen: Double
        var lastSeen: Double
    }

    /// What is remembered of an event.
    struct Event: Equatable {
        /// As it was told last.
        var name: String
        /// Those seen last come first.
        var hosts: [EventHost]
        var needsCode: Bool

        var lastSeen: Double { hosts.first?.lastSeen ?? 0 }
    }

    private(set) var entries: [HostIdentity: Entry] = [:]
    private(set) var events: [EventKey: Event] = [:]

    /// Nothing is remembered.
    public init() {}

    init(_ entries: [HostIdentity: Entry], _ events: [Event]) {
        self.entries = entries
        self.events = Dictionary(
            events.map { (EventKey($0.name), $0) },
            uniquingKeysWith: { $0.lastSeen >= $1.lastSeen ? $0 : $1 })
        Self.keep(Limits.knownHosts, of: &self.entries) { $0.lastSeen }
        Self.keep(Limits.knownEvents, of: &self.events) { $0.lastSeen }
    }

    /// How many devices, addresses and events are remembered.
    public var count: Int { entries.count + events.count }

    /// The key that is remembered under a name; nil for none.
    public func fingerprint(of identity: HostIdentity) -> Fingerprint? {
        entries[identity]?.fingerprint
    }

    /// The keys that have hosted an event, the one seen last first.
    public func fingerprints(ofEvent name: String) -> [Fingerprint] {
        events[EventKey(name)]?.hosts.map(\.fingerprint) ?? []
    }

    /// Whether an event needed a code when it was joined last.
    public func needsCode(event name: String) -> Bool {
        events[EventKey(name)]?.needsCode ?? false
    }

    // MARK: Judging

    /// Compares the key that a host came with to what is remembered under its names. Changes
    /// nothing: a key is remembered by ``remember(_:of:at:)`` only.
    public func judge(_ fingerprint: Fingerprint, of introduction: Introduction) -> Verdict {
        let identities = introduction.identities
        for identity in identities {
            guard let entry = entries[identity], entry.fingerprint != fingerprint else { continue }
            return .changed(identity, remembered: entry.fingerprint, since: entry.firstSeen)
        }
        let event = introduction.event.flatMap { events[EventKey($0)] }
        if let event {
            guard event.hosts.contains(where: { $0.fingerprint == fingerprint }) else {
                return .newHost(event: event.name, known: event.hosts)
            }
            if event.needsCode, introduction.hasCode == false {
                return .codeIsGone(event: event.name)
            }
        }
        let isKnown = event != nil || identities.contains { entries[$0] != nil }
        return isKnown ? .known : .firstMeeting
    }

    // MARK: Remembering

    /// Remembers the key with which a host was seen, under all of its names, in place of any other
    /// key of its device and address, and beside others of its event. Where there is too much, what
    /// was longest unseen is forgotten.
    ///
    /// - Parameter time: in seconds since 1970.
    public mutating func remember(
        _ fingerprint: Fingerprint, of introduction: Introduction, at time: Double
    ) {
        // The file is read with bounds too, and JSON has no way to write a time that is not finite.
        let time = time.isFinite ? Double(boundingSeconds: time) : 0
        for identity in introduction.identities {
            if let old = entries[identity]?.fingerprint, old != fingerprint {
                forget(old, of: introduction.event)
            }
            remember(fingerprint, of: identity, at: time)
        }
        guard let name = introduction.event else { return }
        remember(fingerprint, of: name, introduction, at: time)
    }

    private mutating func remember(
        _ fingerprint: Fingerprint, of identity: HostIdentity, at time: Double
    ) {
        let known = entries[identity].flatMap { $0.fingerprint == fingerprint ? $0 : nil }
        entries[identity] = nil
        Self.keep(Limits.knownHosts - 1, of: &entries) { $0.lastSeen }
        entries[identity] = Entry(
            fingerprint: fingerprint, firstSeen: known?.firstSeen ?? time, lastSeen: time)
    }

    private mutating func remember(
        _ fingerprint: Fingerprint, of name: String, _ introduction: Introduction, at time: Double
    ) {
        let old = events.removeValue(forKey: EventKey(name))
        Self.keep(Limits.knownEvents - 1, of: &events) { $0.lastSeen }
        let known = old?.hosts.first { $0.fingerprint == fingerprint }
        let host = EventHost(
            device: introduction.device ?? known?.device ?? "", fingerprint: fingerprint,
            firstSeen: known?.firstSeen ?? time, lastSeen: time)
        let others = (old?.hosts ?? []).filter { $0.fingerprint != fingerprint }
        events[EventKey(name)] = Event(
            name: name, hosts: Array(([host] + others).prefix(Limits.hostsPerEvent)),
            needsCode: introduction.hasCode ?? old?.needsCode ?? false)
    }

    /// Forgets a key that has hosted an event.
    private mutating func forget(_ fingerprint: Fingerprint, of event: String?) {
        guard let event else { return }
        events[EventKey(event)]?.hosts.removeAll { $0.fingerprint == fingerprint }
    }

    /// What remains when the key that a device or an address had is forgotten, as a user asks who
    /// knows that it is set up anew.
    public func forgetting(_ introduction: Introduction) -> KnownHosts {
        var rest = self
        for identity in introduction.identities {
            guard let old = rest.entries.removeValue(forKey: identity) else { continue }
            rest.forget(old.fingerprint, of: introduction.event)
        }
        if let key = introduction.event.map(EventKey.init), rest.events[key]?.hosts.isEmpty == true
        {
            rest.events[key] = nil
        }
        return rest
    }

    /// Forgets what is longest unseen beyond `limit`.
    private static func keep<Key, Value>(
        _ limit: Int, of table: inout [Key: Value], _ lastSeen: (Value) -> Double
    ) {
        let surplus = table.count - limit
        guard surplus > 0 else { return }
        let isEarlier = { (one: (key: Key, value: Value), other: (key: Key, value: Value)) in
            lastSeen(one.value) < lastSeen(other.value)
        }
        if surplus == 1, let oldest = table.min(by: isEarlier) {
            table[oldest.key] = nil
        } else {
            for (key, _) in table.sorted(by: isEarlier).prefix(surplus) { table[key] = nil }
        }
    }
}
