/// Ways in which a host can lose the network.
public enum LanCut: Sendable {
    /// The cable is out: eth0 has no carrier, but keeps its addresses.
    case carrier
    /// The cable is out and the addresses go, as a network manager does it.
    case withAddresses
    /// Nothing passes, but the host does not notice.
    case silent
}
