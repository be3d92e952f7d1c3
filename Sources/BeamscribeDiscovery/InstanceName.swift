import BeamscribeCore

/// The name that a service is announced under.
public enum InstanceName {
    /// `name` as a DNS-SD instance name: without control characters, at most 63 bytes, cut between
    /// characters (RFC 6763, section 4.1.1). Never empty.
    public static func from(_ name: String) -> String {
        let label = SafeText.name(name, bytes: Limits.instanceNameBytes)
        return label.allSatisfy(\.isWhitespace) ? "beamscribe" : label
    }
}
