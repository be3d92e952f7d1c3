import BeamscribeCore

/// What is known of the host at the other end, for people.
enum SecurityWords {
    static func sentence(_ security: ConnectionSecurity) -> String {
        switch security {
        case .plain: "Not encrypted: anybody on the network can read along, or change the words."
        case .key(let fingerprint, true):
            "First time with this host; its key is remembered: \(fingerprint). It shows the same."
        case .key(let fingerprint, false): "The host's key: \(fingerprint)."
        case .code: "The host has proved that it knows the code."
        }
    }

    /// Whether a reader should know unasked.
    static func isNotable(_ security: ConnectionSecurity) -> Bool {
        switch security {
        case .plain, .key(_, isNew: true): true
        case .key(_, isNew: false), .code: false
        }
    }
}
