import BeamscribeTerminal
import Testing

@Suite struct ProgressTextTests {
    @Test(arguments: [
        (12_345, 100_000, "catching up 12,345 of 100,000 (12 %)"),
        (0, 7, "catching up 0 of 7 (0 %)"),
        (999, 1_000, "catching up 999 of 1,000 (99 %)"),
        (29, 100, "catching up 29 of 100 (29 %)"),
        (1_000, 1_000, "catching up 1,000 of 1,000 (100 %)"),
        (5, 3, "catching up 5 of 3 (100 %)"),
        (0, 0, "catching up 0 of 0 (100 %)"),
    ])
    func catchingUp_saysHowFar(received: Int, total: Int, text: String) {
        #expect(ProgressText.catchingUp(received: received, of: total) == text)
    }

    @Test func catchingUp_doesNotOverflow() {
        #expect(ProgressText.catchingUp(received: .max - 1, of: .max).hasSuffix("(99 %)"))
        #expect(ProgressText.catchingUp(received: .min, of: .max).hasSuffix("(0 %)"))
    }
}
