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
            "127.0.0.1", "--no-bonjour", "--until-eof", "--linger", "0")
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

    @Test func listing_takesTheHostWithTheFingerprintThatItWasGiven_andNoOther() async throws {
        let room = try await Room.open()
        try await room.tell("hello")
        let folder = try TemporaryFolder()
        try folder.write(Self.listing(), to: "guest.py")
        let fingerprint = try await room.fingerprint()
        let words = [folder.path(of: "guest.py"), "127.0.0.1", "\(room.port)"]
        let guest = try RunningProgram(
            Launch("python3", arguments: words + [fingerprint]))
        #expect(try await guest.waitForLines(1) == ["hello"])
        let wary = try RunningProgram(
            Launch("python3", arguments: words + ["0123456789abcdef"]))
        try await wary.expectExit(1)
        #expect(wary.standardErrorText.contains("another key: \(fingerprint)"))
        #expect(wary.standardOutputText == "")
    }

    /// The page's example is what Python's scrypt makes of that code.
    @Test func page_hasTheRightSecretForItsCode() async throws {
        let listing = """
            import hashlib
            made = hashlib.scrypt(b"48217730", salt=bytes.fromhex("963435f31dc94defbf9959a085b55c03"),
                n=2**15, r=8, p=1, maxmem=2**26, dklen=80)
            order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551
            for half in made[:40], made[40:]: print("%064x" % (int.from_bytes(half, "big") % order))
            """
        let python = try RunningProgram("python3", "-c", listing)
        try await python.waitForLines(2)
        for secret in python.standardOutputLines { #expect(try Self.page().contains(secret)) }
    }

    private static func page() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "docs/PROTOCOL.md"), encoding: .utf8)
    }

    /// The first Python listing of the page.
    static func listing() throws -> String {
        let page = try page()
        let start = try #require(page.range(of: "```python\n"))
        let end = try #require(page.range(of: "\n```", range: start.upperBound..<page.endIndex))
        let listing = String(page[start.upperBound..<end.lowerBound])
        let lines = listing.split(separator: "\n")
        #expect(lines.count <= 46, "the page promises about 40 lines")
        return listing
    }
}
