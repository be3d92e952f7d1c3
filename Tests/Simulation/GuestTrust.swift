import BeamscribeCore

/// What a guest knows of the host's key, as `HostTrust` and the file of known hosts have it, and
/// how often it met somebody else.
struct GuestTrust {
    /// The host's key, where the guest has met it, or was told of it; it stays when the guest is
    /// started anew.
    private(set) var hostFingerprint: Fingerprint?
    /// How many have failed to be the host since the guest was started.
    private(set) var refusals = 0
    /// ... and since it was let in last.
    private(set) var refusalsInRow = 0
    /// Whether the guest has the session's lines, or has joined it.
    private var isOfSession = false
    private let identities: Identities?

    init(_ identities: Identities?, knowsHost: Bool) {
        self.identities = identities
        if knowsHost { hostFingerprint = identities?.hostFingerprint }
    }

    /// Three refusals are the end. One is while it joins.
    static let tolerated = 2

    /// Whether the guest may end for them.
    var mayGiveUp: Bool { refusals > 0 && !isOfSession || refusals > Self.tolerated }
    /// Whether the guest has to end for them. Who does not speak TLS is given three tries, always.
    ///
    /// - Parameter isDistrusted: whether the last one had another key.
    func mustGiveUp(isDistrusted: Bool) -> Bool {
        isDistrusted && !isOfSession || refusalsInRow > Self.tolerated
    }

    func trusts(_ seen: Fingerprint) -> Bool {
        hostFingerprint == nil || hostFingerprint == seen
    }

    mutating func refuse() {
        refusals += 1
        refusalsInRow += 1
    }

    /// The host has let the guest in.
    ///
    /// - Returns: what is wrong; nil where nothing is.
    mutating func join(_ event: JoinedEvent) -> String? {
        isOfSession = true
        refusalsInRow = 0
        guard let identities else {
            return event.security == .plain ? nil : "it joins \(event.security) without TLS"
        }
        guard case .key(let seen, _) = event.security, seen == identities.hostFingerprint
        else { return "it joins a host that has not proved to be one" }
        hostFingerprint = seen
        return nil
    }

    mutating func restart(after position: Handshake.Resume?) {
        (refusals, refusalsInRow) = (0, 0)
        isOfSession = position != nil
    }
}
