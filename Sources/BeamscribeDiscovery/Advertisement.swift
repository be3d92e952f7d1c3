import BeamscribeCore

/// What is announced.
public struct Advertisement: Equatable, Sendable {
    /// The name wished for; another is taken where it is in use.
    public var name: String
    /// For example `_beamscribe._tcp`.
    public var type: String
    /// Where it is offered, at each of the machine's addresses.
    public var port: UInt16
    /// What is told with it.
    public var txt: TXTRecord
    /// The indexes of the interfaces to announce on; nil for all.
    public var interfaces: [UInt32]?

    /// What is announced, on all interfaces unless some are given.
    public init(
        name: String, type: String, port: UInt16, txt: TXTRecord, interfaces: [UInt32]? = nil
    ) {
        self.name = name
        self.type = type
        self.port = port
        self.txt = txt
        self.interfaces = interfaces
    }
}
