import Testing

@testable import BeamscribeCore

@Suite("Finals that an input corrects by their id")
struct FinalNumbersTests {
    @Test
    func number_isTheNewestFinals_whenAnIDIsUsedAgain() {
        var numbers = FinalNumbers()
        numbers.note(1, line: "a", replacing: nil)
        numbers.note(2, line: "b", replacing: nil)
        numbers.note(3, line: "a", replacing: nil)
        #expect(numbers.number(of: "a") == 3)
        #expect(numbers.number(of: "b") == 2)
        #expect(numbers.number(of: "c") == nil)
    }

    @Test
    func number_staysTheFirstOnes_whenALineIsCorrectedTwice() {
        var numbers = FinalNumbers()
        numbers.note(4, line: "a", replacing: nil)
        numbers.note(5, line: "a", replacing: 4)
        numbers.note(6, line: "a", replacing: 4)
        #expect(numbers.number(of: "a") == 4)
    }

    @Test
    func oldestIDs_areForgotten_whenThereAreTooMany() {
        var numbers = FinalNumbers()
        for seq in 1...(5 * Limits.correctableLines) {
            numbers.note(seq, line: "\(seq)", replacing: nil)
            let oldest = max(1, seq - Limits.correctableLines + 1)
            #expect(numbers.number(of: "\(oldest)") == oldest)
            #expect(numbers.number(of: "\(oldest - 1)") == nil)
        }
    }
}
