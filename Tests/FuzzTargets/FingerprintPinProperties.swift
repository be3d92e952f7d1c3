import BeamscribeCore

/// A fingerprint, or its beginning, as somebody types it: it matches those that begin with its
/// digits, and no others.
enum FingerprintPinProperties {
    static func check(_ bytes: UnsafeRawBufferPointer) throws(BrokenProperty) {
        let typed = String(decoding: bytes, as: UTF8.self)
        if let whole = Fingerprint(hex: typed) {
            try expect(whole.hex == typed.lowercased(), "reads \(whole.hex)")
            try expect(FingerprintPin(typed)?.matches(whole) == true, "is not itself")
        }
        guard let pin = FingerprintPin(typed) else { return }
        let digits = pin.groups.filter { $0 != " " }
        try expect((16...64).contains(digits.utf8.count), "\(digits.utf8.count) digits")
        let spelled = typed.lowercased().unicodeScalars.filter(\.properties.isASCIIHexDigit)
        try expect(digits.unicodeScalars.elementsEqual(spelled), "reads \(digits)")
        try expect(FingerprintPin(pin.groups) == pin, "another when it is read again")
        try checkMatches(pin, digits)
    }

    /// Tries fingerprints that begin with the digits, and such that differ in one.
    private static func checkMatches(
        _ pin: FingerprintPin, _ digits: String
    ) throws(BrokenProperty) {
        let padded = Array((digits + String(repeating: "5", count: 64 - digits.count)).utf8)
        try expect(matches(pin, padded) == true, "does not match its own digits")
        for index in [0, digits.utf8.count - 1] {
            var other = padded
            other[index] = other[index] == 0x30 ? 0x31 : 0x30
            try expect(matches(pin, other) == false, "matches another fingerprint")
        }
    }

    private static func matches(_ pin: FingerprintPin, _ digits: [UInt8]) -> Bool? {
        Fingerprint(hex: String(decoding: digits, as: UTF8.self)).map(pin.matches)
    }
}
