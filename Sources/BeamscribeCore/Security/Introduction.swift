/// The names under which a guest meets a host, as far as they are told.
public struct Introduction: Hashable, Sendable {
    /// "ADDRESS:PORT", where the host was joined by its address.
    public var address: String?
    /// The name of the host's device.
    public var device: String?
    /// The event's name.
    public var event: String?
    /// Whether the host has asked for the event's code, and knows it; nil while that is open.
    public var hasCode: Bool?

    /// A host that goes by these names.
    public init(
        address: String? = nil, device: String? = nil, event: String? = nil, hasCode: Bool? = nil
    ) {
        self.address = address
        self.device = device
        self.event = event
        self.hasCode = hasCode
    }

    /// What a key is remembered under, one each.
    var identities: [HostIdentity] {
        [address.map { .address($0) }, device.map { .device($0) }].compactMap(\.self)
    }
}

/// An event's name as names are compared: without case, and with single spaces between words. Who
/// announces an old event's name with another capital is judged by what is known of that event.
struct EventKey: Hashable {
    let text: String

    init(_ name: String) {
        text = name.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
