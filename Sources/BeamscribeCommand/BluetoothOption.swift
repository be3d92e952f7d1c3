import ArgumentParser
import BeamscribeDiscovery
import FoundationEssentials

struct BluetoothOption: ParsableArguments {
    @Flag(help: "Do without Bluetooth.")
    var noBle = false

    /// The D-Bus address by which BlueZ is reached.
    var address: String {
        BusAddress.bluetooth(environment: ProcessInfo.processInfo.environment)
    }

    var bus: String? { noBle ? nil : address }
}
