import BeamscribeCore
public import BeamscribeIO

/// A host's beacon as it was heard. Its text comes from a stranger and is free of control
/// characters.
public struct HeardBeacon: Equatable, Sendable, Identifiable {
    /// Tells the devices apart that are heard; BlueZ's path of the device.
    public var id: String
    /// The sender's address, to connect to.
    public var device: BluetoothAddress
    /// The first characters of the event's name, at most eight bytes; empty if it has none.
    public var name: String
    /// Where the host is; nil for a host that does not say (a phone does not).
    public var payload: BeaconPayload?

    /// Where the host takes L2CAP channels; nil if it takes none.
    public var channel: ChannelEndpoint? {
        payload?.channelPSM.map { ChannelEndpoint(device, psm: UInt16($0)) }
    }
}
