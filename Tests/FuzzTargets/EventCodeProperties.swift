import BeamscribeCore

/// A code as somebody types it: it is what its letters and digits spell, however they are written.
enum EventCodeProperties {
    static func check(_ bytes: UnsafeRawBufferPointer) throws(BrokenProperty) {
        let typed = String(decoding: bytes, as: UTF8.self)
        let code: EventCode
        do throws(EventCodeError) {
            code = try EventCode(typed)
        } catch {
            return try checkRefusal(error, of: typed)
        }
        try expect(code.characters.elementsEqual(spelled(typed)), "reads \(code.display)")
        try expect((1...Limits.codeCharacters).contains(code.characters.count), "its length")
        for way in [code.display, code.display.lowercased(), " \u{AD}\(code.display)\u{2011}\n"] {
            try expect((try? EventCode(way)) == code, "\(way) is another code")
        }
        try expect("\(code)" == "(a code)" && "\(code.weakness as Any)".count < 100, "tells itself")
    }

    private static func checkRefusal(
        _ error: EventCodeError, of typed: String
    ) throws(BrokenProperty) {
        let count = spelled(typed).count
        switch error {
        case .empty: try expect(count == 0, "not empty: \(typed)")
        case .tooLong: try expect(count > Limits.codeCharacters, "not too long: \(typed)")
        case .unusableCharacter:
            let isUsable = typed.unicodeScalars.allSatisfy {
                spelled(String($0)).count == 1
                    || $0.properties.isWhitespace || $0.properties.isDash
            }
            try expect(!isUsable, "every character can be used: \(typed)")
        }
    }

    /// The letters and digits, as they are read.
    private static func spelled(_ typed: String) -> [UInt8] {
        let read: [UInt8?] = typed.unicodeScalars.map { scalar in
            if scalar.properties.numericType == .decimal {
                return scalar.properties.numericValue.map { 0x30 &+ UInt8(saturating: $0) }
            }
            let isWide = (0xFF21...0xFF5A).contains(scalar.value)
            let value = isWide ? scalar.value &- 0xFEE0 : scalar.value
            guard let ascii = UInt8(exactly: value), ascii < 128 else { return nil }
            switch Unicode.Scalar(ascii).properties.uppercaseMapping {
            case "O": return 0x30
            case "I", "L": return 0x31
            case let letter where letter >= "A" && letter <= "Z": return letter.utf8.first
            default: return nil
            }
        }
        return read.compactMap(\.self)
    }
}
