import BeamscribeCore
import FoundationEssentials
import Testing

@Suite struct HexDigitsTests {
    @Test func uuid_isWrittenAsFoundationWritesIt_inLowerCase() {
        for number in UInt64(0)..<500 {
            // Each byte has other digits, zero among them.
            let bits = (number &* 0x9E37_79B9_7F4A_7C15).bigEndian
            let other = (~number &* 0xBF58_476D_1CE4_E5B9).bigEndian
            let id = withUnsafeBytes(of: (bits, other)) { UUID(uuid: $0.load(as: uuid_t.self)) }
            #expect(id.wireName == id.uuidString.lowercased())
        }
    }
}
