/// A method to call.
struct BusCall {
    /// Whose: a name on the bus.
    var destination = BlueZNames.service
    var path: String
    var interface: String
    var method: String
    var arguments: [BusValue] = []
    /// Whether the bus may start the program that has the destination's name.
    var mayStart = false
}
