/// What a guest knows of the host at the other end of its connection.
public enum ConnectionSecurity: Hashable, Sendable {
    /// Nothing: the connection is not encrypted, and anybody may be there.
    case plain
    /// The host has proved that it has the key with this fingerprint. `isNew` where it was not
    /// known before, and is remembered now.
    case key(Fingerprint, isNew: Bool)
    /// The host has proved that it knows the event's code.
    case code

    /// Its name in JSON output.
    public var name: String {
        switch self {
        case .plain: "plain"
        case .key: "tls"
        case .code: "code"
        }
    }
}
