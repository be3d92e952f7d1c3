import BeamscribeCore

/// Sentences for people on how far the other end is known.
enum SecurityWords {
    static func sentence(_ event: JoinedEvent) -> String {
        let proof =
            !event.security.provesCode
            ? ""
            : event.transport == .backbone
                ? "The server cannot check the code: your readers need exactly the one you gave. "
                : "The machine that answers has proved that it knows the code. "
        return switch event.security {
        case .plain: "Not encrypted: anybody on the network can read along, or change the words."
        case .key(let fingerprint, true), .code(let fingerprint, true):
            "\(proof)First time with this host. Compare: its screen must show \(fingerprint). "
                + (event.forgottenKey.map {
                    "Its key could not be remembered, so next time another machine may pass for it: \($0)."
                } ?? "Its key is remembered.")
        case .key(let fingerprint, false), .code(let fingerprint, false):
            "\(proof)The host's key: \(fingerprint)."
        }
    }

    /// Whether a reader should know unasked.
    static func isNotable(_ event: JoinedEvent) -> Bool {
        event.security == .plain || event.security.isNew
            || event.security.provesCode && event.transport == .backbone
    }
}
