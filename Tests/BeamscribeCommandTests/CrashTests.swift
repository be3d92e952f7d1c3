import TestSupport
import Testing

/// What a user sees of a crash.
@Suite struct CrashTests {
    /// A program that is told of a fault of its own ends by it, and asks nobody anything.
    @Test(arguments: [Int32(6), 11])
    func program_endsAsAnyOther_whenItCrashes(signal: Int32) async throws {
        let folder = try TemporaryFolder()
        let words = ["host", "--event", "x", "--no-console"] + Room.quiet(port: 0)
        let terminal = try PseudoTerminal(.beamscribe(words, state: folder))
        try await terminal.waitForText("the host") { $0.contains("Guests join with:") }
        terminal.signal(signal)
        #expect(try await terminal.waitForExit() == .signalled(signal))
        let text = terminal.text
        #expect(!text.contains("acktrace") && !text.contains("Press"), "\(text)")
    }
}
