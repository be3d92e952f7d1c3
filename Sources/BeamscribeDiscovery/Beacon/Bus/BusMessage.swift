import CSystemd

/// A message that came: a signal, a call or an answer.
struct BusMessage: Equatable {
    /// The sender's unique name on the bus, which the bus itself puts there, or
    /// `org.freedesktop.DBus`.
    var sender: String
    /// The object that it is from (a signal) or for (a call); empty in an answer.
    var path: String
    var interface: String
    /// The signal's or the method's name.
    var member: String
    var values: [BusValue]

    init(_ message: OpaquePointer) throws(BusError) {
        let text = { (text: UnsafePointer<CChar>?) in text.map { String(cString: $0) } ?? "" }
        sender = text(sd_bus_message_get_sender(message))
        path = text(sd_bus_message_get_path(message))
        interface = text(sd_bus_message_get_interface(message))
        member = text(sd_bus_message_get_member(message))
        var reader = BusMessageReader(message)
        values = try reader.values()
    }
}
