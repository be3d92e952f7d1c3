import BeamscribeCore
import Testing

@Suite struct CodeWeaknessTests {
    private func weakness(_ typed: String) throws -> EventCode.Weakness? {
        try EventCode(typed).weakness
    }

    @Test(arguments: [
        "4821-7730", "7K3M9QX2TA", "correct horse battery", "Raum 3 um 9 Uhr", "271828", "3141592",
        "90210X", "12XK7Q",
    ])
    func code_isFine(_ typed: String) throws {
        #expect(try weakness(typed) == nil)
    }

    @Test(arguments: ["1", "ABC", "7K3M9", "7-K-3-M-9", "12345"])
    func code_isTooShort(_ typed: String) throws {
        #expect(try weakness(typed) == .tooShort)
    }

    @Test(arguments: [
        "000000", "00000000", "123456", "12345678", "87654321", "112233", "11223344", "121212",
        "123123", "12341234", "ABCDEF", "QWERTY", "qwertz", "AZERTY", "ASDFGH", "A1B2C3",
        "A1B2C3D4",
        "123321", "12344321", "ABCABC", "24682468", "13579135", "OIL01OIL01", "1QAZ2WSX", "OOOOOO",
        "ILILIL", "AABBCC",
    ])
    func code_isAPattern(_ typed: String) throws {
        #expect(try weakness(typed) == .pattern)
    }

    @Test func everyPieceOfAKnownOrder_isWeak_eitherWayRound() throws {
        let orders = [
            "01234567890", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "QWERTYUIOP", "QWERTZUIOP", "AZERTYUIOP",
        ]
        for order in orders {
            for start in 0...(order.count - 6) {
                for length in 6...(order.count - start) {
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
            let length = Int.random(in: 1...8, using: &generator)
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
            #expect((code.weakness == .tooShort) == (code.characters.count < 6))
            if Set(code.characters).count == 1 { #expect(code.weakness != nil) }
        }
    }

    @Test func descriptions_areSentences_thatDiffer() {
        let texts = EventCode.Weakness.allCases.map { "\($0)" }
        #expect(Set(texts).count == 2)
        #expect(texts.allSatisfy { $0.hasSuffix(".") && $0.contains(" ") })
    }
}
