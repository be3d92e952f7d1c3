import Foundation
import TestSupport
import Testing

/// The guest that docs/PROTOCOL.md shows, as it stands there: whoever writes a guest begins with it.
@Suite struct PythonGuestTests {
    @Test func listing_printsEveryLine_andEndsWithTheEvent() async throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.listing(), to: "guest.py")
        var launch = Launch(
            Binary.beamscribe, "host", "--event", "Town Hall", "--port", "0", "--bind",
            "127.0.0.1", "--no-bonjour", "--until-eof")
        launch.environment["XDG_STATE_HOME"] = folder.path
        let host = try RunningProgram(launch)
        let line = try await host.waitForLine(containing: "join --host", on: .standardError)
        let port = try #require(line.split(separator: ":").last.map(String.init))
        let said = (1...500).map { "line \($0) – \"quoted\" \\ 字幕" }
        try await host.write(said.prefix(250).joined(separator: "\n") + "\n")

        let guest = try RunningProgram(
            "/usr/bin/env", "python3", folder.path(of: "guest.py"), "127.0.0.1", port)
        try await guest.waitForOutput("the history") { $0.standardOutput.lines.count == 250 }
        try await host.write(said.dropFirst(250).joined(separator: "\n") + "\n")
        host.closeInput()

        #expect(try await guest.waitForExit() == .success)
        #expect(guest.standardOutputLines == said)
        #expect(try await host.waitForExit() == .success)
    }

    /// The first Python listing of the page.
    private static func listing() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/PROTOCOL.md"), encoding: .utf8)
        let start = try #require(page.range(of: "```python\n"))
        let end = try #require(page.range(of: "\n```", range: start.upperBound..<page.endIndex))
        let listing = String(page[start.upperBound..<end.lowerBound])
        let lines = listing.split(separator: "\n")
        #expect(lines.count <= 32, "the page promises about 30 lines")
        return listing
    }
}
