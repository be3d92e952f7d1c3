import BeamscribeCore
import Testing

@Suite struct CodeWeaknessTests {
    private func weakness(_ typed: String) throws -> EventCode.Weakness? {
        try EventCode(typed).weakness
    }

    @Test(arguments: [
        "7K3M9QX2TA", "correct horse battery", "Raum 3 um 9 Uhr", "12XK7Q2M9R", "2718281828459045",
        "3141592653589793", "8QF2M0XWTE4R", "ABCDE12345XK7Q2M9RTW",
    ])
    func code_isFine(_ typed: String) throws {
        #expect(try weakness(typed) == nil)
    }

    @Test(arguments: ["1", "ABC", "7K3M9QX2T", "7K3M9-QX2T", "123456789"])
    func code_isTooShort(_ typed: String) throws {
        #expect(try weakness(typed) == .tooShort)
    }

    @Test(arguments: [
        "0000000000", "ABABABABAB", "AAAAABBBBB", "ABCDABCDAB", "AABBCCDDAA", "OOOOO00000",
        "ILILILILI1", "ABCABCABCABCABCABC",
    ])
    func code_hasTooFewCharacters(_ typed: String) throws {
        #expect(try weakness(typed) == .fewCharacters)
    }

    @Test(arguments: [
        "ABCDE12345", "12345ABCDE", "1234567890", "0123456789", "0987654321", "9876543210",
        "ABCDEFGHIJ", "abcdefghijklmnopqrstuvwxyz", "ZYXWVUTSRQ", "QWERTYUIOP", "qwertzuiop",
        "POIUYTREWQ", "AZERTYUIOP", "ASDFGHJKLM", "ASDFGHJKL1", "1QAZ2WSX3EDC", "Q1W2E3R4T5",
        "A1B2C3D4E5", "1A2B3C4D5E", "ABC12ABC12", "ABCDEABCDE", "ABCDEABCDEA", "XK7Q2XK7Q2",
        "ABCDEEDCBA", "XK7Q22Q7KX", "AABBCCDDEE", "1122334455", "ABC123XYZ7", "QWERT12345",
        "1357924680", "ACEGIKMOQS", "12345XK7Q2", "QWERTYUIOPASDFGHJKLZXCVBNM", "HIJKLMNOPQ",
    ])
    func code_isAPattern(_ typed: String) throws {
        #expect(try weakness(typed) == .pattern)
    }

    @Test(arguments: ["3141592653", "2718281828459", "314159265358979", "OI74L92835"])
    func code_isOnlyDigits(_ typed: String) throws {
        #expect(try weakness(typed) == .onlyDigits)
    }

    @Test func everyPieceOfAKnownOrder_isWeak_eitherWayRound() throws {
        let orders = [
            "01234567890", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "QWERTYUIOP", "QWERTZUIOP", "AZERTYUIOP",
        ]
        for order in orders {
            for start in 0...(order.count - 10) {
                for length in 10...(order.count - start) {
                    let piece = String(order.dropFirst(start).prefix(length))
                    #expect(try weakness(piece) != nil)
                    #expect(try weakness(String(piece.reversed())) != nil)
                    #expect(try weakness(piece.lowercased()) != nil)
                }
            }
        }
    }

    @Test func everyRepeatedPiece_isWeak_whateverItIs() throws {
        var generator = SeededGenerator(seed: 28)
        for _ in 0..<2_000 {
            let code = EventCode.random(using: &generator).display.filter { $0 != "-" }
            let length = Int.random(in: 1...10, using: &generator)
            let piece = String(code.prefix(length))
            let rest = Int.random(in: 0...length, using: &generator)
            let times = max(2, (9 + length) / length)
            let typed = String(repeating: piece, count: times) + piece.prefix(rest)
            #expect(try weakness(typed) != nil)
        }
    }

    @Test func weakness_isJudged_whateverIsTyped() throws {
        var generator = SeededGenerator(seed: 29)
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        for _ in 0..<5_000 {
            let few = letters.shuffled(using: &generator).prefix(
                Int.random(in: 1...36, using: &generator))
            let typed = (0..<Int.random(in: 1...64, using: &generator)).map { _ in
                few[few.indices.randomElement(using: &generator)!]
            }
            let code = try EventCode(String(typed))
            if code.characters.count < 10 { #expect(code.weakness == .tooShort) }
            if Set(code.characters).count < 5 { #expect(code.weakness != nil) }
        }
    }

    @Test func descriptions_areSentences_thatDiffer() {
        let texts = EventCode.Weakness.allCases.map { "\($0)" }
        #expect(Set(texts).count == 4)
        #expect(texts.allSatisfy { $0.hasSuffix(".") && $0.contains(" ") })
    }
}
