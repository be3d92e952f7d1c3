/// Finds the patterns of codes that people make up. Characters are those of
/// ``EventCode/characters``.
///
/// A character continues a run where it follows from the two before it: the third and later ones
/// of ABCDE, 54321, QWERTY or AAAA, also where two runs are interleaved (A1B2C3). Such a character
/// is guessed with the ones before it; only the others count.
enum CodePattern {
    /// Characters that must count: two runs have four, interleaved or one after the other.
    private static let leastCounting = 5
    /// The same for a code whose doubled characters are taken once (112233).
    private static let leastCountingSingly = 3

    /// Whether a code can be guessed from a part of it.
    static func isPattern(_ characters: [UInt8]) -> Bool {
        if isRepeated(characters) || isMirrored(characters) { return true }
        let least = (1...2).map { counting(characters, every: $0) }.min() ?? 0
        return least < leastCounting || counting(singly(characters), every: 1) < leastCountingSingly
    }

    /// Whether it is one piece again and again, the last time perhaps not to its end.
    private static func isRepeated(_ characters: [UInt8]) -> Bool {
        (1...max(characters.count / 2, 1)).contains { period in
            characters.dropFirst(period).elementsEqual(characters.dropLast(period))
        }
    }

    private static func isMirrored(_ characters: [UInt8]) -> Bool {
        characters.elementsEqual(characters.reversed())
    }

    /// How many characters do not continue a run of every first, second, ... character.
    private static func counting(_ characters: [UInt8], every step: Int) -> Int {
        characters.indices.count { index in
            guard index >= 2 * step else { return true }
            let (first, second) = (characters[index - 2 * step], characters[index - step])
            return !isRun(first, second, characters[index])
        }
    }

    private static func isRun(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Bool {
        if first == second, second == third { return true }
        return steps[place(first, second)] & steps[place(second, third)] != 0
    }

    /// Each character once where it stands several times in a row.
    private static func singly(_ characters: [UInt8]) -> [UInt8] {
        characters.indices.filter { $0 == 0 || characters[$0] != characters[$0 - 1] }
            .map { characters[$0] }
    }

    /// For each two characters a bit for each known order, either way round, in which the second
    /// follows the first.
    private static let steps: [UInt32] = {
        var steps = [UInt32](repeating: 0, count: 43 * 43)
        for (number, order) in orders.enumerated() {
            let characters = order.utf8.map(EventCode.normalised)
            for (first, second) in zip(characters, characters.dropFirst()) {
                steps[place(first, second)] |= 1 << (2 * number)
                steps[place(second, first)] |= 1 << (2 * number + 1)
            }
        }
        return steps
    }()

    /// Where ``steps`` has two characters; from 0 to Z there are 43 in ASCII.
    private static func place(_ first: UInt8, _ second: UInt8) -> Int {
        let zero = UInt8(ascii: "0")
        return Int(first &- zero) * 43 + Int(second &- zero)
    }

    /// Digits, the alphabet, every second of either, and the rows and columns of English, German
    /// and French keyboards.
    private static let orders = [
        "01234567890", "ABCDEFGHIJKLMNOPQRSTUVWXYZA", "02468", "13579", "ACEGIKMOQSUWY",
        "BDFHJLNPRTVXZ", "QWERTYUIOPASDFGHJKLZXCVBNM", "QWERTZUIOPASDFGHJKLYXCVBNM",
        "AZERTYUIOPQSDFGHJKLMWXCVBN", "1QAZ2WSX3EDC4RFV5TGB6YHN7UJM8IK9OL0P",
    ]
}
