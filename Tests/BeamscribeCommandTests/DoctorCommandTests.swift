import Foundation
import TestSupport
import Testing

/// `beamscribe doctor` on the machine that the tests run on, whatever that lacks.
@Suite struct DoctorCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private struct Report: Decodable {
        var verdict: String
        var checks: [Check]
    }

    private struct Check: Decodable {
        var check: String
        var status: String
        var found: String
        var advice: String?
    }

    private func doctor(_ options: String...) throws -> RunningProgram {
        var launch = Launch.beamscribe(["doctor"] + options, state: folder)
        launch.input = .null
        return try RunningProgram(launch)
    }

    @Test func json_isOneObject_thatAgreesWithTheExitCode() async throws {
        let program = try doctor("--json")
        let status = try await program.waitForExit()
        #expect(program.standardOutputLines.count == 1)
        let data = Data(program.standardOutputText.utf8)
        let report = try JSONDecoder().decode(Report.self, from: data)
        #expect(report.checks.count == 13)
        let isBroken = report.checks.contains { $0.status == "problem" }
        #expect(report.verdict == (isBroken ? "problem" : "ok"))
        #expect(status == .exited(isBroken ? 69 : 0))
        #expect(report.checks.allSatisfy { !$0.found.isEmpty })
        #expect(report.checks.allSatisfy { ($0.advice == nil) == ($0.status == "ok") })
        #expect(program.standardErrorText == "")
    }

    @Test func text_fits80Columns_andEndsWithTheVerdict() async throws {
        let program = try doctor()
        try await program.waitForExit()
        let lines = program.standardOutputLines
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(lines.contains { $0.hasPrefix("beamscribe ") })
        #expect(!program.standardOutputText.hasControlCharacters)
    }

    /// No state folder is made, and nothing is left in the one that there is.
    @Test func doctor_leavesTheStateFolderAlone() async throws {
        let program = try doctor("--json")
        try await program.waitForExit()
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left == [])
        #expect(program.standardOutputText.contains("will be made when it is needed"))
    }

    @Test func stateFolder_isAProblem_whenAFileIsInItsPlace() async throws {
        try folder.write("", to: "beamscribe")
        let program = try doctor()
        try await program.expectExit(69)
        let words = program.standardOutputText.split(whereSeparator: \.isWhitespace)
        let text = words.joined(separator: " ")
        #expect(text.contains("problem State folder Nothing can be kept in"))
        #expect(text.contains("it is no folder"))
    }

    @Test(arguments: ["beamscribe", "beamscribe/events", "beamscribe/device-id"])
    func stateFolder_isAProblem_whenALinkIsInIt(_ name: String) async throws {
        let other = try TemporaryFolder()
        try folder.makeFolder(name == "beamscribe" ? "." : "beamscribe")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(of: name), withDestinationPath: other.path)
        let program = try doctor("--json")
        try await program.expectExit(69)
        let report = try JSONDecoder().decode(
            Report.self, from: Data(program.standardOutputText.utf8))
        let check = try #require(report.checks.first { $0.check == "state-folder" })
        #expect(check.status == "problem")
        #expect(check.found.contains("it is a symbolic link"))
        #expect(check.advice?.contains("Move it away") == true)
    }

    @Test func colour_isOnATerminalOnly_andNotIfItIsRefused() async throws {
        for refusal in ["", "1"] {
            var launch = Launch.beamscribe(["doctor"], state: folder)
            launch.withoutVariables = ["BEAMSCRIBE_CODE"]
            launch.environment["NO_COLOR"] = refusal
            launch.environment["TERM"] = "xterm"
            let terminal = try PseudoTerminal(launch)
            try await terminal.waitForExit()
            #expect(terminal.text.contains("\u{1B}[3") == refusal.isEmpty)
            #expect(terminal.text.contains("Disk space"))
        }
    }
}
