import Foundation
import Glibc
import TestSupport
import Testing

/// A speech recogniser at one end, guests at the other.
@Suite struct RecogniserTests {
    private static let tools = ["espeak-ng", "sox", "pocketsphinx_continuous"]

    private static let missing: String? = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":")
        let missing = tools.first { tool in
            !folders.contains { access("\($0)/\(tool)", X_OK) == 0 }
        }
        return missing.map { "\($0) is not installed" }
    }()

    /// Speaks a text, hears it, and hosts what was heard.
    private static let pipeline = """
        espeak-ng -v en-us+f2 -s 140 --stdout -f "$1" |
        sox -q -D -v 0.9 -t wav - -t raw -r 16000 -b 16 -c 1 -e signed-integer - |
        pocketsphinx_continuous -infile /dev/stdin 2>/dev/null |
        { shift; exec "$@"; }
        """

    private func startHost(_ folder: TemporaryFolder) throws -> RunningProgram {
        let spoken = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures/spoken.txt").path
        let host = [Binary.beamscribe, "host", "--event", "Speech", "--until-eof", "--tee"]
        let words = ["-c", Self.pipeline, "sh", spoken] + host + Room.quiet(port: 0)
        var launch = Launch("sh", arguments: words)
        launch.environment["XDG_STATE_HOME"] = folder.path
        return try RunningProgram(launch)
    }

    @Test(Skip.unless(missing), .timeLimit(.minutes(3)))
    func guests_printWhatTheRecogniserHeard_alsoWhoComesLate() async throws {
        let folder = try TemporaryFolder()
        let host = try startHost(folder)
        let address = "127.0.0.1:\(try await Room.port(of: host))"
        let launch = Launch.beamscribe(["join", "--host", address], state: folder)
        let early = try RunningProgram(launch)
        try await early.waitForLines(3, within: .seconds(90))
        #expect(host.isRunning)
        let late = try RunningProgram(launch)
        try await late.waitUntilJoined()
        try await host.expectExit(0, within: .seconds(90))
        for guest in [early, late] {
            try await guest.expectExit(0)
            #expect(guest.standardOutputLines == host.standardOutputLines)
        }
        #expect((5...9).contains(early.standardOutputLines.count))
        let words = early.standardOutputText.split { $0.isWhitespace }
        #expect(words.count > 20 && !Set(words).isDisjoint(with: ["doctor", "train", "questions"]))
    }
}
