/// Where a D-Bus daemon takes connections.
public enum BusAddress {
    /// The bus by which BlueZ is reached. The first that is set counts:
    ///
    /// - `BEAMSCRIBE_BLUEZ_BUS_ADDRESS`, for a BlueZ that is on another bus than Avahi,
    /// - `DBUS_SYSTEM_BUS_ADDRESS`, as the D-Bus Specification has it ("Well-known Message Bus
    ///   Instances"); of several addresses the first,
    /// - the usual place.
    ///
    /// - Parameter environment: the process's.
    public static func bluetooth(environment: [String: String]) -> String {
        let variables = ["BEAMSCRIBE_BLUEZ_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS"]
        let values = variables.lazy.compactMap { environment[$0]?.split(separator: ";").first }
        return values.first.map(String.init) ?? usual
    }

    static let usual = "unix:path=/run/dbus/system_bus_socket"
}
