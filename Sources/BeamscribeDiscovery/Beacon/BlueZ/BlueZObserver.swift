/// Somebody who does something with bluetoothd.
protocol BlueZObserver: AnyObject {
    /// The daemon's condition is another. Unless it is running, all that was made there is gone.
    func daemonHasChanged()
    /// Told of the devices, by who has an interest in them.
    func deviceTells(_ event: DeviceEvent)
}

extension BlueZObserver {
    func deviceTells(_ event: DeviceEvent) {}
}

/// What bluetoothd tells of a device, with its path and properties of its Device1.
enum DeviceEvent {
    /// It is known from some time before.
    case remembered(String, [String: BusValue])
    /// It has become known just now.
    case appeared(String, [String: BusValue])
    /// Some properties are now these.
    case changed(String, [String: BusValue])
    /// It is forgotten.
    case vanished(String)
}
