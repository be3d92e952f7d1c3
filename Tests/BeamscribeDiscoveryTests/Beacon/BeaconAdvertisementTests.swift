import BeamscribeDiscovery
import BeamscribeIO
import Testing

@Suite struct BeaconAdvertisementTests {
    private let payload = BeaconPayload(
        address: IPAddress("192.0.2.7"), port: 23_267, sessionTag: 1)

    /// Room in a legacy advertisement, and in its scan response (Bluetooth Core Specification, Vol 6,
    /// Part B, section 2.3.1). What is in it stands behind a byte of its length and one of its type.
    private let capacity = 31

    private func scanResponseBytes(_ advertisement: BeaconAdvertisement) -> Int {
        advertisement.name.isEmpty ? 0 : 2 + advertisement.name.utf8.count
    }

    /// The UUID, and the payload behind the company's number.
    private func advertisingBytes(_ advertisement: BeaconAdvertisement) -> Int {
        2 + 16 + (advertisement.payload.map { 2 + 2 + $0.bytes.count } ?? 0)
    }

    @Test func advertisement_fillsWhatALegacyOneHolds() {
        let advertisement = BeaconAdvertisement(eventName: "Town Hall", payload: payload)
        #expect(advertisingBytes(advertisement) == capacity)
        #expect(scanResponseBytes(advertisement) == 10)
        #expect(!advertisement.isConnectable)
    }

    @Test func advertisement_isConnectable_whenTheHostTakesChannels() {
        var payload = payload
        payload.channelPSM = 0x80
        #expect(BeaconAdvertisement(eventName: "", payload: payload).isConnectable)
    }

    @Test(arguments: [
        ("Town Hall", "Town Hal"), ("Kino", "Kino"), ("", ""), ("Größeres", "Größer"),
        ("日本語会議", "日本"), ("👨‍👩‍👧‍👦 Familie", ""), ("a\u{1B}[2Jb", "a␛[2Jb"),
        ("e\u{301}e\u{301}e\u{301}", "e\u{301}e\u{301}"),
    ])
    func name_isCutBetweenCharacters(event: String, name: String) {
        #expect(BeaconAdvertisement(eventName: event, payload: nil).name == name)
    }

    @Test func everyName_fits() {
        let alphabet = Array("aZ é\u{301}ß日😀👨‍👩‍👧‍👦\u{0}\n\u{202E}")
        for seed in 0..<10_000 {
            let name = (0..<seed % 17).map { alphabet[(seed / ($0 + 1) + $0) % alphabet.count] }
            let advertisement = BeaconAdvertisement(eventName: String(name), payload: payload)
            #expect(advertisement.name.utf8.count <= BeaconAdvertisement.nameBytes)
            #expect(scanResponseBytes(advertisement) <= capacity)
            #expect(advertisingBytes(advertisement) <= capacity)
        }
    }
}
