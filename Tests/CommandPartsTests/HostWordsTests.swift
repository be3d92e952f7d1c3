import BeamscribeIO
import Testing

@testable import BeamscribeCommand
@testable import BeamscribeDiscovery

@Suite struct HostWordsTests {
    @Test(arguments: [
        ("Town Hal", "Town Hal…"), ("Kino", "Kino"), ("Größer", "Größer…"), ("日本", "日本…"),
        ("", "(an event without a name)"),
    ])
    func heardName_hasASign_whereSomeMayBeMissing(name: String, shown: String) {
        #expect(HostWords.name(heard: name) == shown)
    }

    @Test func heardHost_isShownByWhatIsKnown() throws {
        let device = try #require(BluetoothAddress("00:AA:01:00:00:01", kind: .public))
        let payload = BeaconPayload(address: nil, port: 23_267, sessionTag: 1, channelPSM: 0x80)
        let host = try #require(
            DiscoveredHost(
                HeardBeacon(id: "a", device: device, name: "Town Hal", payload: payload)))
        #expect(HostWords.name(of: host) == "Town Hal…")
        #expect(
            HostWords.whereabouts(of: host) == "heard by Bluetooth, 00:AA:01:00:00:01")
    }
}
