import Foundation
import Glibc
import TestSupport
import Testing

/// A speech recogniser at one end, guests at the other.
@Suite(.serialized) struct RecogniserTests {
    private static let tools = ["espeak-ng", "sox", "pocketsphinx_continuous"]

    private static let missing: String? = missing(of: tools)

    /// Where `scripts/bootstrap --test` puts PocketSphinx 5, which Debian does not have.
    private static let python = Repository.path(of: ".build/recognisers")

    private static let missingFive: String? =
        FileManager.default.fileExists(atPath: python + "/pocketsphinx")
        ? missing(of: ["espeak-ng", "sox", "python3"]) : "PocketSphinx 5 is not in \(python)"

    private static func missing(of tools: [String]) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":")
        let missing = tools.first { tool in
            !folders.contains { access("\($0)/\(tool)", X_OK) == 0 }
        }
        return missing.map { "\($0) is not installed" }
    }

    /// Speaks a text, hears it, and hosts what was heard.
    private static let pipeline = """
        espeak-ng -v en-us+f2 -s 140 --stdout -f "$1" |
        sox -q -D -v 0.9 -t wav - -t raw -r 16000 -b 16 -c 1 -e signed-integer - |
        sh -c "$2" 2>/dev/null |
        { shift 2; exec "$@"; }
        """

    private static func fixture(_ name: String) -> String {
        Repository.path(of: "Tests/BeamscribeCommandTests/Fixtures/\(name)")
    }

    private func startHost(
        _ folder: TemporaryFolder, hearing: String, _ options: String...
    ) throws -> RunningProgram {
        let host = [
            Binary.beamscribe, "host", "--event", "Speech", "--until-eof", "--tee", "--linger", "0",
        ]
        let words =
            ["-c", Self.pipeline, "sh", Self.fixture("spoken.txt"), hearing] + host
            + Room.quiet(port: 0) + options
        var launch = Launch("sh", arguments: words)
        launch.environment["XDG_STATE_HOME"] = folder.path
        launch.environment["PYTHONPATH"] = Self.python
        launch.withoutVariables = ["BEAMSCRIBE_CODE"]
        return try RunningProgram(launch)
    }

    @Test(Skip.unless(missing), .timeLimit(.minutes(6)))
    func guests_printWhatTheRecogniserHeard_alsoWhoComesLate() async throws {
        let folder = try TemporaryFolder()
        let host = try startHost(
            folder, hearing: "pocketsphinx_continuous -infile /dev/stdin")
        let address = "127.0.0.1:\(try await Room.port(of: host))"
        let launch = Launch.beamscribe(["join", "--host", address], state: folder)
        let early = try RunningProgram(launch)
        try await early.waitForLines(3, within: .seconds(150))
        #expect(host.isRunning)
        let late = try RunningProgram(launch)
        try await late.waitUntilJoined()
        try await host.expectExit(0, within: .seconds(150))
        for guest in [early, late] {
            try await guest.expectExit(0)
            #expect(guest.standardOutputLines == host.standardOutputLines)
        }
        #expect((5...9).contains(early.standardOutputLines.count))
        let words = early.standardOutputText.split { $0.isWhitespace }
        #expect(words.count > 20 && !Set(words).isDisjoint(with: ["doctor", "train", "questions"]))
    }

    /// What Debian's program prints has no numbers, as later versions' have: both are lines.
    @Test(Skip.unless(missing), .timeLimit(.minutes(6)))
    func guests_printWhatTheRecogniserHeard_whenTheHostIsToldWhichItIs() async throws {
        let folder = try TemporaryFolder()
        let host = try startHost(
            folder, hearing: "pocketsphinx_continuous -infile /dev/stdin", "--input-format",
            "pocketsphinx")
        try await expectSpeech(of: host, in: folder)
    }

    @Test(Skip.unless(missingFive), .timeLimit(.minutes(6)))
    func guests_printWhatPocketSphinxFiveHeard_whenItsFormIsFoundOut() async throws {
        let folder = try TemporaryFolder()
        let hearing = "exec python3 '\(Self.fixture("pocketsphinx5.py"))'"
        let host = try startHost(folder, hearing: hearing)
        let records = try await expectSpeech(of: host, in: folder)
        #expect(host.standardErrorText.contains("Input: pocketsphinx."))
        // The speech takes twenty seconds, and what it is cut into follows in its order.
        let starts = records.compactMap(\.start)
        #expect(starts == starts.sorted() && starts.count == records.count)
        #expect(zip(records, starts).allSatisfy { $0.end ?? 0 > $1 })
        #expect((15...30).contains(records.last?.end ?? 0))
    }

    private struct Record: Decodable {
        var text: String
        var start: Double?
        var end: Double?
    }

    /// A guest gets some of what was said, and as many lines as the host has copied.
    @discardableResult
    private func expectSpeech(
        of host: RunningProgram, in folder: TemporaryFolder
    ) async throws -> [Record] {
        let address = "127.0.0.1:\(try await Room.port(of: host))"
        let words = ["join", "--host", address, "--format", "jsonl"]
        let guest = try RunningProgram(Launch.beamscribe(words, state: folder))
        try await host.expectExit(0, within: .seconds(150))
        try await guest.expectExit(0)
        let records = try guest.standardOutputLines.filter { $0.contains(#""type":"line""#) }
            .map { try JSONDecoder().decode(Record.self, from: Data($0.utf8)) }
        #expect(records.map(\.text) == host.standardOutputLines)
        #expect((5...9).contains(records.count))
        let heard = Set(records.flatMap { $0.text.split(separator: " ").map(String.init) })
        #expect(heard.count > 20 && !heard.isDisjoint(with: ["doctor", "train", "questions"]))
        #expect(heard.allSatisfy { !$0.contains("<") && !$0.contains("(") })
        return records
    }
}
