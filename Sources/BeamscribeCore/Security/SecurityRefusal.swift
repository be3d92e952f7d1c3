/// Why a guest and a host do not trust each other enough to talk.
public enum SecurityRefusal: Error, Equatable, Sendable {
    /// The host's key is not the one that is remembered, since a time in seconds since 1970.
    case keyChanged(HostIdentity, remembered: Fingerprint, since: Double, offered: Fingerprint)
    /// The host's key is not the one that the user expects.
    case notPinned(FingerprintPin, offered: Fingerprint)
    /// What answers where this event's host was has another key than the host.
    case anotherHost(offered: Fingerprint)
    /// The event was always hosted by others; `device` is what this host calls itself.
    case newHost(
        event: String, known: [KnownHosts.EventHost], device: String?, offered: Fingerprint)
    /// The event always needed a code, and this host asks for none.
    case codeIsGone(event: String, device: String?, offered: Fingerprint)
    /// The event asks for a code, and the guest has none.
    case codeNeeded
    /// The guest's code is not the event's.
    case wrongCode
    /// The guest has a code, and what answers does not ask for one.
    case hostWithoutCode
    /// The host takes no codes from here for a while: there were too many wrong ones.
    case doorClosed
}

extension SecurityRefusal {
    /// The key that a person could say yes to, knowing what speaks against it; nil where that is
    /// nothing to be asked in passing.
    public var acceptable: Fingerprint? {
        switch self {
        case .newHost(_, _, _, let offered), .codeIsGone(_, _, let offered): offered
        default: nil
        }
    }

    /// Whether it speaks against the one who answers, so that another host of the event may be the
    /// right one.
    public var isAboutHost: Bool {
        switch self {
        case .keyChanged, .notPinned, .anotherHost, .newHost, .codeIsGone, .hostWithoutCode: true
        case .codeNeeded, .wrongCode, .doorClosed: false
        }
    }
}

extension SecurityRefusal: CustomStringConvertible {
    /// As a clause for a log.
    public var description: String {
        switch self {
        case .keyChanged(_, _, _, let offered):
            "the host's key is another than the remembered one (it offers \(offered))"
        case .notPinned(_, let offered): "the host's key is another than expected: \(offered)"
        case .anotherHost(let offered):
            "what answers has another key than the host that was here (\(offered))"
        case .newHost(_, _, _, let offered):
            "the event was always hosted by others than this one (\(offered))"
        case .codeIsGone(_, _, let offered):
            "the event always needed a code, and this host asks for none (\(offered))"
        case .codeNeeded: "the event asks for a code"
        case .wrongCode: "the code is wrong"
        case .hostWithoutCode: "what answers asks for no code"
        case .doorClosed: "the host takes no codes from here for a minute"
        }
    }
}
