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

    /// The letters and digits of ASCII, as they are read.
    private static func spelled(_ typed: String) -> [UInt8] {
        let ascii = String(decoding: typed.utf8.filter { $0 < 128 }, as: UTF8.self)
        let read: [UInt8?] = ascii.uppercased().unicodeScalars.map { scalar in
            switch scalar {
            case "O": 0x30
            case "I", "L": 0x31
            case "0"..."9", "A"..."Z": UInt8(scalar.value)
            default: nil
            }
        }
        return read.compactMap(\.self)
    }
}
