import BeamscribeCore
import BeamscribeIO

/// What properties of a Device1 say of interest here. Whatever is not as BlueZ documents it counts
/// as not said: the text and the bytes in them come from strangers.
struct DeviceReport: Equatable {
    /// Nil without an address, or of a kind that is not known.
    var device: BluetoothAddress?
    /// Cut to what a beacon can hold, and free of control characters.
    var name: String?
    /// Whether the beacon's UUID is among those of the device; nil if they are not said.
    var hasUUID: Bool?
    /// Whether the device has been connected, so that its UUIDs are those of its services and no
    /// longer those that it advertises.
    var hasServices: Bool
    /// What the beacon says, if manufacturer data is said at all: there may be none in it.
    var payload: BeaconPayload??
    /// Whether there was something in the air just now, if these are changes: bluetoothd tells
    /// these anew each time.
    var isHeard: Bool
    /// Whether bluetoothd keeps the device for ever.
    var isPaired: Bool

    init(_ properties: [String: BusValue]) {
        device = Self.device(properties)
        name = properties["Name"]?.text.map(BeaconAdvertisement.name(of:))
        hasUUID = properties["UUIDs"].flatMap(Self.hasBeacon)
        hasServices = properties["ServicesResolved"] == .boolean(true)
        payload = properties["ManufacturerData"].map(Self.payload)
        isHeard = properties["RSSI"] != nil || properties["ManufacturerData"] != nil
        isPaired = properties["Paired"] == .boolean(true)
    }

    /// Whether all that is known of a device makes it a host. One that is connected is known by
    /// what it says: that it takes guests.
    var isBeacon: Bool {
        hasUUID == true || hasServices && takesGuests
    }

    /// Whether it says where guests without a network come in.
    var takesGuests: Bool { payload??.channelPSM != nil }

    private static func device(_ properties: [String: BusValue]) -> BluetoothAddress? {
        guard let address = properties["Address"]?.text else { return nil }
        switch properties["AddressType"]?.text {
        case "public": return BluetoothAddress(address, kind: .public)
        case "random": return BluetoothAddress(address, kind: .random)
        default: return nil
        }
    }

    private static func hasBeacon(_ uuids: BusValue) -> Bool? {
        uuids.texts.map { $0.contains { $0.lowercased() == BeaconAdvertisement.serviceUUID } }
    }

    private static func payload(_ data: BusValue) -> BeaconPayload? {
        guard case .dictionary(let entries, _, _) = data,
            case .bytes(let bytes)? = entries[.uint16(BeaconPayload.companyID)]?.content
        else { return nil }
        return BeaconPayload(bytes: bytes)
    }
}
