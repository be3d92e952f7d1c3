import BeamscribeCore
public import BeamscribeIO

/// A DNS-SD service as it was found on the network (RFC 6763). All text in it comes from other
/// machines and is not yet safe to show.
public struct ServiceInstance: Equatable, Sendable {
    /// The instance's name: at most 63 bytes of UTF-8.
    public var name: String
    /// For example `_beamscribe._tcp`.
    public var type: String
    /// Nearly always `local`.
    public var domain: String
    /// The machine that offers it, for example `laptop.local`.
    public var hostName: String
    /// Where it is offered, at each of its addresses.
    public var port: UInt16
    /// What is told with it.
    public var txt: TXTRecord
    /// Where it can be reached, each once.
    public var addresses: [Address]

    /// An address and the interface that it was found on.
    public struct Address: Hashable, Sendable {
        /// The address; one of a link has the interface's number in it.
        public var address: IPAddress
        /// The interface's name, for example `eth0`.
        public var interface: String

        /// An address on an interface.
        public init(address: IPAddress, interface: String) {
            self.address = address
            self.interface = interface
        }
    }
}
