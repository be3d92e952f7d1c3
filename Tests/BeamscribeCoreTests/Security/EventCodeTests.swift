import BeamscribeCore
import Testing

@Suite struct EventCodeTests {
    private let plain = "7K3M9QX2TA"
    /// What may stand between two characters.
    private static let separators = [
        "", " ", "  ", "-", "\t", "\n", "\r\n", "\u{A0}", "\u{202F}", "\u{2009}", "\u{200B}",
        "\u{2060}", "\u{FEFF}", "\u{AD}", "\u{2010}", "\u{2011}", "\u{2012}", "\u{2013}",
        "\u{2014}", "\u{2015}", "\u{2212}", "\u{FE58}", "\u{FE63}", "\u{FF0D}", " – ",
    ]

    private func characters(_ typed: String) throws(EventCodeError) -> String {
        String(decoding: try EventCode(typed).characters, as: UTF8.self)
    }

    @Test(arguments: separators) func separator_isPassedOver_wherever(_ separator: String) throws {
        for position in 0...10 {
            var typed = plain.map(String.init)
            typed.insert(separator, at: position)
            #expect(try characters(typed.joined()) == plain)
            #expect(try characters(typed.joined().lowercased()) == plain)
        }
        #expect(try characters(plain.map(String.init).joined(separator: separator)) == plain)
    }

    @Test func everyCharacter_isReadAsCrockfordHasIt_orRefused() {
        for value in UInt32(0)...0x2FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let typed = "A\(String(Character(scalar)))B"
            let expected = Self.expected(scalar)
            do throws(EventCodeError) {
                let read = try characters(typed)
                if read != "A\(expected ?? "?")B" {
                    Issue.record("U+\(String(value, radix: 16)) is read as \(read)")
                }
            } catch {
                if expected != nil || error != .unusableCharacter {
                    Issue.record("U+\(String(value, radix: 16)) is refused: \(error)")
                }
            }
        }
    }

    /// What one character is read as; empty for a separator, nil where there is to be an error.
    private static func expected(_ scalar: Unicode.Scalar) -> String? {
        if [0xAD, 0x200B, 0x2060, 0xFEFF].contains(scalar.value) { return "" }
        if scalar.properties.isWhitespace || scalar.properties.isDash { return "" }
        let wide = (0xFF01...0xFF5E).contains(scalar.value)
        let narrow = wide ? Unicode.Scalar(scalar.value &- 0xFEE0) ?? scalar : scalar
        if narrow.properties.numericType == .decimal, let value = narrow.properties.numericValue {
            return "\(Int(saturating: value))"
        }
        guard narrow.isASCII, narrow.properties.isAlphabetic else { return nil }
        let folds = ["O": "0", "I": "1", "L": "1"]
        let upper = String(Character(narrow)).uppercased()
        return folds[upper] ?? upper
    }

    @Test func everyVariant_isTheSameCode() throws {
        // Each character of 0 1 Z in each of its spellings, with each separator between.
        let spellings = [["0", "O", "o"], ["1", "I", "i", "L", "l"], ["Z", "z"]]
        let code = try EventCode("01Z")
        for first in spellings[0] {
            for second in spellings[1] {
                for third in spellings[2] {
                    for separator in Self.separators {
                        let typed = [first, second, third].joined(separator: separator)
                        #expect(try EventCode(typed) == code)
                    }
                }
            }
        }
    }

    @Test func code_isRefused_whenItsLengthIsWrong() throws {
        #expect(throws: EventCodeError.empty) { try EventCode("") }
        #expect(throws: EventCodeError.empty) { try EventCode(" - \u{A0}") }
        for count in 1...200 {
            let typed = String(repeating: "A-", count: count)
            if count <= 64 {
                #expect(try EventCode(typed).characters.count == count)
            } else {
                #expect(throws: EventCodeError.tooLong) { try EventCode(typed) }
            }
        }
    }

    @Test(arguments: ["４８２１７７３０", "٤٨٢١-٧٧٣٠", "４821 ７730", "४८२१७७३०"])
    func digits_areRead_whateverTheirScriptAndWidth(_ typed: String) throws {
        #expect(try characters(typed) == "48217730")
    }

    @Test func display_hasGroupsOfFour_andReadsBack() throws {
        #expect(try EventCode("48217730").display == "4821-7730")
        #expect(try EventCode(plain).display == "7K3M-9QX2-TA")
        #expect(try EventCode("abc").display == "ABC")
        var generator = SeededGenerator(seed: 22)
        for _ in 0..<5_000 {
            let code = EventCode.random(using: &generator)
            let display = code.display
            #expect(display.count == 9 && display.dropFirst(4).first == "-")
            #expect(try EventCode(display) == code)
            #expect(try EventCode(display.lowercased()) == code)
        }
    }

    @Test func code_neverPrintsItself() throws {
        let code = try EventCode(plain)
        var dumped = ""
        dump([code], to: &dumped)
        dump(Optional(code), to: &dumped)
        let printed = [
            "\(code)", String(describing: code), String(reflecting: code), "\([code])",
            "\(Optional(code) as Any)", "\(["code": code])", "\((code, 1))", dumped,
            "\(Mirror(reflecting: code).children.map(\.value))",
        ]
        for text in printed {
            for part in ["7K3M", "QX2", "2TA", "55, 75", "55"] { #expect(!text.contains(part)) }
        }
        #expect(Mirror(reflecting: code).children.isEmpty)
    }

    @Test func error_neverHoldsTheCode() {
        for typed in ["SECRET!", "SECRET\u{1B}", String(repeating: "SECRET", count: 20), ""] {
            let error = #expect(throws: EventCodeError.self) { try EventCode(typed) }
            let text = error.map { "\($0) \(String(reflecting: $0))" } ?? ""
            #expect(!text.isEmpty && !text.uppercased().contains("SECRET"))
        }
    }
}
