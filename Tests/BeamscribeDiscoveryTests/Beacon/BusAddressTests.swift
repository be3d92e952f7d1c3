import BeamscribeDiscovery
import Testing

@Suite struct BusAddressTests {
    @Test func address_isBlueZsOwn_thenTheSystems_thenTheUsual() {
        let own = ["BEAMSCRIBE_BLUEZ_BUS_ADDRESS": "unix:path=/own"]
        let system = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/system,guid=0;tcp:host=x"]
        let both = own.merging(system) { $1 }
        #expect(BusAddress.bluetooth(environment: both) == "unix:path=/own")
        #expect(BusAddress.bluetooth(environment: system) == "unix:path=/system,guid=0")
        for none in [[:], ["DBUS_SYSTEM_BUS_ADDRESS": ""]] {
            #expect(
                BusAddress.bluetooth(environment: none) == "unix:path=/run/dbus/system_bus_socket")
        }
    }
}
