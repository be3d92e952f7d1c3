/// Who takes part: one connection a device, and no more than there are seats.
///
/// Invariant: `all` has everybody, `bluetooth` those of them who come over Bluetooth, and `devices` the
/// connection of each one's device.
struct Seats {
    /// A newcomer's seat.
    enum Seat {
        case free
        /// Somebody else has to give way.
        case taken(ConnectionID)
        /// There is none, and why, as a sentence.
        case none(String)
    }

    private let limit: Int
    private let bluetoothLimit: Int
    private var all = SourceCrowd<ConnectionID>()
    private var bluetooth = SourceCrowd<ConnectionID>()
    private var devices: [String: ConnectionID] = [:]

    init(_ limit: Int, overBluetooth bluetoothLimit: Int) {
        self.limit = limit
        self.bluetoothLimit = bluetoothLimit
    }

    /// The connection of a device that takes part.
    func connection(of device: String) -> ConnectionID? { devices[device] }

    /// The seat of a newcomer. Where none is free the newest guest of the source that has the most
    /// gives way to one of a source that has fewer, so that nobody can keep others out by taking all
    /// seats; see ``SourceCrowd/yielding(to:)`` for why those who had to give way cannot push out
    /// others when they come back. Guests of one source, as behind a relay, push out nobody of it.
    func seat(for source: String, over transport: Transport) -> Seat {
        if transport == .bluetooth, bluetooth.count >= bluetoothLimit {
            let why =
                "This host takes \(bluetoothLimit) guests over Bluetooth, and they are here; over the "
                + "network there is room."
            return bluetooth.yielding(to: source).map { .taken($0) } ?? .none(why)
        }
        guard all.count >= limit else { return .free }
        return all.yielding(to: source).map { .taken($0) }
            ?? .none("This host takes \(limit) guests, and they are here.")
    }

    mutating func take(_ guest: RoomGuest) {
        all.add(guest.id, from: guest.source)
        if guest.transport == .bluetooth { bluetooth.add(guest.id, from: guest.source) }
        devices[guest.deviceID] = guest.id
    }

    mutating func leave(_ guest: RoomGuest) {
        all.remove(guest.id)
        bluetooth.remove(guest.id)
        if devices[guest.deviceID] == guest.id { devices[guest.deviceID] = nil }
    }

    /// What is wrong with a guest's seat; nil where nothing is.
    func broken(_ guest: RoomGuest, isHere: Bool) -> String? {
        let isSeated = all.source(of: guest.id) != nil
        let ownsDevice = devices[guest.deviceID] == guest.id
        guard isHere, guest.isAccepted else {
            return isSeated || ownsDevice ? "\(guest.id) has a seat and takes no part" : nil
        }
        return isSeated && ownsDevice ? nil : "\(guest.id) takes part without a seat"
    }

    /// What is wrong, where these are the guests who take part; nil where nothing is.
    func brokenInvariant(seating guests: [RoomGuest]) -> String? {
        if let broken = all.brokenInvariant ?? bluetooth.brokenInvariant { return broken }
        if Set(guests.map { $0.id }) != Set(all.members) { return "a seat is somebody else's" }
        let channels = guests.filter { $0.transport == .bluetooth }
        if Set(channels.map { $0.id }) != Set(bluetooth.members) {
            return "a seat over Bluetooth is somebody else's"
        }
        return devices.count == guests.count ? nil : "a device has two connections"
    }
}
