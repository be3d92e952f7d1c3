/// What a guest remembers a host's key under. A device that is named like an address is not that
/// address.
///
/// Two names are the same where they are to Unicode (canonical equivalence, as Swift compares
/// strings): it does not matter whether an é came as one character or as two.
public enum HostIdentity: Hashable, Sendable {
    /// A device's name, of a host that was found.
    case device(String)
    /// "ADDRESS:PORT", of a host that was joined by its address.
    case address(String)
}
