public import BeamscribeCore
public import BeamscribeIO
public import BeamscribeInput
public import FoundationEssentials

/// What a host is and does.
public struct HostConfiguration: Sendable {
    /// The event's name: 1 to 255 bytes of UTF-8.
    public var eventName: String
    /// The machine's name for people.
    public var deviceName: String
    public var deviceID: UUID
    public var session: UUID
    public var port = Port.standard
    /// The addresses to listen at; empty for all, IPv4 and IPv6.
    public var addresses: [IPAddress] = []
    public var input = Input.standardInput
    public var inputFormat = InputFormat.auto
    /// End the event once the input has ended and every guest has all of it.
    public var endsWithInput = false
    public var maximumGuests = Limits.guests
    /// Memory for the transcript, in bytes.
    public var history = Limits.history
    /// Announce the event by Bonjour.
    public var announces = true
    public var timing = Timing()
    /// Copy the finals to ``Host/finals``. The input rests while nobody reads them.
    public var copiesFinals = false

    public enum Port: Equatable, Sendable {
        /// ``standardNumber``, or a free one where that is taken.
        case standard
        /// This one or none; 0 for a free one.
        case number(UInt16)
    }

    public enum Input: Equatable, Sendable {
        case standardInput
        case file(String)
    }

    /// BEAMS on a phone's keys.
    public static let standardNumber: UInt16 = 23_267

    public init(eventName: String, deviceName: String, deviceID: UUID, session: UUID = UUID()) {
        self.eventName = eventName
        self.deviceName = deviceName
        self.deviceID = deviceID
        self.session = session
    }
}
