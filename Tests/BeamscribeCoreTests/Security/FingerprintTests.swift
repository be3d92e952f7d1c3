import BeamscribeCore
import Testing

@Suite struct FingerprintTests {
    private let hex = "1a2b3c4d5e6f7a8b00112233445566778899aabbccddeeff0123456789abcdef"

    @Test func fingerprint_hasItsForms() throws {
        let fingerprint = try #require(Fingerprint(hex: hex))
        #expect(fingerprint.bytes.prefix(4) == [0x1A, 0x2B, 0x3C, 0x4D])
        #expect(fingerprint.hex == hex)
        #expect(fingerprint.short == "1a2b3c4d5e6f7a8b")
        #expect(fingerprint.groups == "1a2b 3c4d 5e6f 7a8b")
        #expect("\(fingerprint)" == fingerprint.groups)
    }

    @Test func bytes_comeBackFromHex_always() throws {
        var generator = SeededGenerator(seed: 21)
        for _ in 0..<5_000 {
            let bytes = randomBytes(32...32, &generator)
            let fingerprint = try #require(Fingerprint(bytes: bytes))
            #expect(Fingerprint(hex: fingerprint.hex) == fingerprint)
            #expect(Fingerprint(hex: fingerprint.hex.uppercased())?.bytes == bytes)
        }
    }

    @Test func fingerprint_isRefused_whenItsLengthIsWrong() {
        for count in 0...100 {
            let bytes = [UInt8](repeating: 7, count: count)
            #expect((Fingerprint(bytes: bytes) != nil) == (count == 32))
            let digits = String(repeating: "a", count: count)
            #expect((Fingerprint(hex: digits) != nil) == (count == 64))
        }
    }

    @Test func hex_isRefused_whenACharacterIsNoDigit() {
        for position in 0..<64 {
            for wrong in ["g", " ", ":", "-", "é", "\0", "٣", "a", "/", "@", "`", "G"] {
                var digits = hex.map(String.init)
                digits[position] = wrong
                #expect((Fingerprint(hex: digits.joined()) == nil) == (wrong != "a"))
            }
        }
    }

    @Test func pin_matches_whatBeginsWithIt() throws {
        let fingerprint = try #require(Fingerprint(hex: hex))
        for count in 0...70 {
            let typed = String((hex + hex).prefix(count))
            let pin = FingerprintPin(typed)
            #expect((pin != nil) == (16...64).contains(count))
            if let pin { #expect(pin.matches(fingerprint)) }
        }
    }

    @Test func pin_matchesNothingElse_whateverDigitDiffers() throws {
        let pin = try #require(FingerprintPin(hex))
        let short = try #require(FingerprintPin(String(hex.prefix(16))))
        for bit in 0..<256 {
            var bytes = try #require(Fingerprint(hex: hex)).bytes
            bytes[bit / 8] ^= 1 << (bit % 8)
            let other = try #require(Fingerprint(bytes: bytes))
            #expect(!pin.matches(other))
            #expect(short.matches(other) == (bit >= 64))
        }
    }

    @Test(arguments: [
        "1a2b 3c4d 5e6f 7a8b", "1A2B:3C4D:5E6F:7A8B", "1a-2b-3c-4d-5e-6f-7a-8b",
        " 1a2b\u{A0}3c4d\u{2011}5e6f–7A8B\n", "1a:2b:3c:4d:5e:6f:7a:8b",
    ])
    func pin_isRead_asPeopleTypeIt(_ typed: String) throws {
        let pin = try #require(FingerprintPin(typed))
        #expect(pin.groups == "1a2b 3c4d 5e6f 7a8b")
        #expect(pin == FingerprintPin("1a2b3c4d5e6f7a8b"))
        #expect(pin.matches(try #require(Fingerprint(hex: hex))))
    }

    @Test(arguments: [
        "", "1a2b 3c4d 5e6f 7a8", "1a2b3c4d5e6f7a8g", "1a2b3c4d5e6f7a8b.", "1a2b3c4d5e6f7a8é",
        "1a2b3c4d5e6f7a8b/1a2b", "0x1a2b3c4d5e6f7a8b",
    ])
    func pin_isRefused_whenItIsNone(_ typed: String) {
        #expect(FingerprintPin(typed) == nil)
    }
}
