import Foundation
import TestSupport
import Testing

/// Numbers that a host, or a log, says and that no clock has: nobody who reads them dies of it.
@Suite(.serialized) struct ExtremeNumberTests {
    private static let digits = String(repeating: "9", count: 321)
    private static let numbers = [digits, "1e400", "1e308", "-1e308", "5e-324"]

    /// Line 1 is good, line 2 has the numbers, and line 3 is good again.
    private static func more(_ number: String) -> String {
        #","start":\#(number),"end":\#(number)"#
    }

    @Test(arguments: ["srt", "vtt", "jsonl", "text"], numbers)
    func guest_livesOn_withEveryFormat(format: String, number: String) async throws {
        let host = try FakeHost()
        let folder = try TemporaryFolder()
        let file = folder.path(of: format == "text" ? "x.txt" : "x.\(format)")
        let guest = try host.join("--format", format, "--save", file, "--no-reconnect")
        let (connection, _) = try await host.welcomeGuest()
        let isFinite = number.hasPrefix("1e3") || number.contains("-")
        try await connection.send([Wire.line(1), Wire.line(2, more: Self.more(number))])
        if isFinite { try await connection.send([Wire.line(3), Wire.ended]) }
        try await guest.expectExit(isFinite ? 0 : 76)
        #expect(guest.standardOutputText.contains("line 1"))
        #expect(guest.standardOutputText.contains("line 2") == isFinite)
        if !isFinite { #expect(guest.standardErrorText.contains(#"whose "start" is"#)) }
        let written = try String(contentsOfFile: file, encoding: .utf8)
        for text in [guest.standardOutputText, written] where format == "jsonl" {
            for line in text.split(separator: "\n") {
                #expect(throws: Never.self) {
                    try JSONSerialization.jsonObject(with: Data(line.utf8))
                }
            }
        }
    }

    @Test(arguments: ["srt", "vtt", "jsonl", "txt"], numbers)
    func log_isExported_whateverItsNumbers(format: String, number: String) async throws {
        let folder = try TemporaryFolder()
        let bytes = Wire.line(1) + Wire.line(2, more: Self.more(number)) + Wire.line(3)
        let log = folder.path(of: "log")
        #expect(FileManager.default.createFile(atPath: log, contents: Data(bytes)))
        var launch = Launch.beamscribe(["export", log, "--format", format], state: folder)
        launch.input = .null
        let program = try RunningProgram(launch)
        try await program.expectExit(0)
        let text = program.standardOutputText
        #expect(text.contains("line 1") && text.contains("line 3"))
        #expect(!text.contains("inf") && !text.contains("nan"))
    }
}
