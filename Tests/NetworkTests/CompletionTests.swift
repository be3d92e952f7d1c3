import Foundation
import TestSupport
import Testing

/// Names of events, completed in the shells of those who want to join.
@Suite(Skip.withoutLanAndTmux, .serialized, .timeLimit(.minutes(2)))
struct CompletionTests {
    @Test func tab_runsNothing_andInsertsTheEvent() async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            let name = "Hall'\u{0301}\u{0600}$(touch run)`touch run` END"
            let host = try await lan[0].announce(name)
            let folder = try TemporaryFolder()
            for kind in CompletingShell.Kind.allCases where Tool.exists(kind.rawValue) {
                let shell = try await CompletingShell(
                    kind, in: folder.path, surroundings: lan[1].inside)
                let words = try await shell.words(completing: "beamscribe join ", until: "END")
                let expected = ["beamscribe", "join", name].map { Array($0.utf8) }
                #expect(words.prefix(3).map { Array($0.utf8) } == expected)
            }
            #expect(!FileManager.default.fileExists(atPath: folder.path(of: "run")))
            let listing = try lan[1].browse()
            try await listing.expectExit(0)
            let command = try #require(
                listing.standardOutputLines.first { $0.contains("beamscribe join") })
            let shown = try await lan[1].run("bash", "-c", "printf '%s\\n'" + command)
            #expect(Array(shown.utf8) == Array("beamscribe\njoin\n\(name)\n".utf8))
            host.stop()
        }
    }
}
