/// What a guest knows of the host at the other end of its connection.
public enum ConnectionSecurity: Hashable, Sendable {
    /// Nothing: the connection is not encrypted, and anybody may be there.
    case plain
    /// The host has proved that it has the key with this fingerprint. `isNew` where none of its
    /// names was known before, and they are remembered now.
    case key(Fingerprint, isNew: Bool)
    /// The same, and the host has proved that it knows the event's code.
    case code(Fingerprint, isNew: Bool)

    /// Its name in JSON output.
    public var name: String {
        switch self {
        case .plain: "plain"
        case .key: "tls"
        case .code: "code"
        }
    }

    /// The host's key; nil where it has proved nothing.
    public var fingerprint: Fingerprint? {
        switch self {
        case .plain: nil
        case .key(let fingerprint, _), .code(let fingerprint, _): fingerprint
        }
    }

    /// Whether the host was met for the first time.
    public var isNew: Bool {
        switch self {
        case .plain: false
        case .key(_, let isNew), .code(_, let isNew): isNew
        }
    }

    /// Whether the host knows the event's code.
    public var provesCode: Bool { if case .code = self { true } else { false } }

    /// The same, and the code is proved.
    public var withCode: ConnectionSecurity {
        fingerprint.map { .code($0, isNew: isNew) } ?? self
    }

    /// The same of what another has signed, whose key this is.
    public func of(_ writer: Fingerprint) -> ConnectionSecurity {
        switch self {
        case .plain: .plain
        case .key(_, let isNew): .key(writer, isNew: isNew)
        case .code(_, let isNew): .code(writer, isNew: isNew)
        }
    }

    /// The same of a host that was met for the first time, or was not.
    public func new(_ isNew: Bool) -> ConnectionSecurity {
        switch self {
        case .plain: .plain
        case .key(let fingerprint, _): .key(fingerprint, isNew: isNew)
        case .code(let fingerprint, _): .code(fingerprint, isNew: isNew)
        }
    }
}
