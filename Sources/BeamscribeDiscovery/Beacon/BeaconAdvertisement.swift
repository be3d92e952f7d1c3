internal import BeamscribeCore

/// What a host sends into the air, cut to what fits.
///
/// A legacy advertisement holds 31 bytes, and so does the scan response that goes with it
/// (Bluetooth Core Specification, Vol 6, Part B, section 2.3.1). The list of the service's UUID
/// and the payload fill the first exactly; the name goes into the second, where BlueZ puts it.
///
/// Invariant: both fit.
public struct BeaconAdvertisement: Hashable, Sendable {
    /// The first characters of the event's name, at most eight bytes of UTF-8; may be empty.
    public let name: String
    /// Where the host is; nil for a beacon that only says that there is one.
    public let payload: BeaconPayload?
    /// Whether the adapter takes connections: needed for captions over Bluetooth.
    public let isConnectable: Bool

    /// The advertisement of an event. Its name is cut between characters; a first character that
    /// does not fit is left out.
    public init(eventName: String, payload: BeaconPayload?) {
        name = Self.name(of: eventName)
        self.payload = payload
        isConnectable = payload?.channelPSM != nil
    }

    /// An event's name as a beacon has it.
    public static func name(of eventName: String) -> String {
        let name = SafeText.name(eventName, bytes: eventName.utf8.count * 8)
        return SafeText.prefix(name, bytes: nameBytes).isEmpty
            ? "" : SafeText.name(name, bytes: nameBytes)
    }

    /// "beamscribe" in ASCII, and the number of the service.
    public static let serviceUUID = "6265616d-7363-7269-6265-000000000001"
    /// The longest name, in bytes of UTF-8.
    public static let nameBytes = 8
}
