import BeamscribeDiscovery
import BeamscribeIO
import Testing

@Suite struct BeaconPayloadTests {
    @Test func bytes_areTheContracts() {
        let payload = BeaconPayload(
            address: IPAddress("192.0.2.7"), port: 23_267, sessionTag: 0xABCD)
        #expect(payload.bytes == [1, 192, 0, 2, 7, 0x5A, 0xE3, 0xAB, 0xCD])
        #expect(payload.endpoint?.description == "192.0.2.7:23267")
    }

    @Test func versionByte_saysWhereChannelsAreTaken() {
        let payload = BeaconPayload(address: nil, port: 1, sessionTag: 2, channelPSM: 0x81)
        #expect(payload.bytes == [0x81, 0, 0, 0, 0, 0, 1, 0, 2])
        #expect(BeaconPayload(bytes: payload.bytes) == payload)
        #expect(payload.endpoint == nil)
    }

    @Test func payload_isReadAsWritten() {
        for seed in UInt64(0)..<10_000 {
            let address = IPAddress(bytes: (0..<4).map { UInt8(seed >> $0 & 0xFF) })
            let psm = seed % 3 == 0 ? UInt8(0x80 + seed % 0x80) : nil
            let payload = BeaconPayload(
                address: address, port: UInt16(seed * 7 & 0xFFFF),
                sessionTag: UInt16(seed * 31 & 0xFFFF), channelPSM: psm)
            #expect(payload.bytes.count == BeaconPayload.count)
            #expect(BeaconPayload(bytes: payload.bytes) == payload)
        }
    }

    @Test func otherBytes_areNoPayload() {
        for version in UInt8.min...UInt8.max {
            let bytes = [version, 192, 0, 2, 7, 1, 2, 3, 4]
            let isKnown = version == 1 || version >= 0x80
            #expect((BeaconPayload(bytes: bytes) != nil) == isKnown)
        }
        for count in 0...40 where count != 9 {
            #expect(BeaconPayload(bytes: [UInt8](repeating: 1, count: count)) == nil)
        }
    }

    /// `printf ID | sha256sum` says so.
    @Test func sessionTag_isTheBeginningOfTheIdsDigest() {
        let id = "00000000-0000-4000-8000-000000000001"
        #expect(BeaconPayload.sessionTag(of: id) == 0x11E5)
        #expect(BeaconPayload.sessionTag(of: id.uppercased()) == 0x11E5)
    }
}
