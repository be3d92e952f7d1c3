import BeamscribeCore

/// Where a device takes L2CAP channels over Bluetooth Low Energy.
public struct ChannelEndpoint: Hashable, Sendable {
    /// The device.
    public var device: BluetoothAddress
    /// The protocol/service multiplexer, which is to a channel what a port is to TCP.
    public var psm: UInt16

    /// A PSM of a device.
    public init(_ device: BluetoothAddress, psm: UInt16) {
        self.device = device
        self.psm = psm
    }
}

extension ChannelEndpoint: CustomStringConvertible {
    public var description: String { "Bluetooth \(device)" }
}
