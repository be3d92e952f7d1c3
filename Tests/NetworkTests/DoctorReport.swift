import Foundation
import TestSupport
import Testing

/// What `doctor --json` prints.
struct DoctorReport: Decodable {
    var verdict: String
    var checks: [Check]

    struct Check: Decodable {
        var check: String
        var status: String
        var found: String
        var advice: String?
    }

    /// The check of this name.
    subscript(name: String) -> Check? { checks.first { $0.check == name } }

    /// The names of the checks with this status.
    func names(_ status: String) -> [String] {
        checks.filter { $0.status == status }.map(\.check)
    }
}

extension LanHost {
    /// Runs `doctor --json` on this host, checks that it ends as it says, and answers what it found.
    func doctor(
        expecting code: Int32, within limit: Duration = Deadline.generous,
        by bus: HangingBus? = nil,
        at location: SourceLocation = #_sourceLocation
    ) async throws -> DoctorReport {
        let program = try spawn(doctorLaunch(["--json"]).using(bus))
        try await program.expectExit(code, within: limit, at: location)
        let data = Data(program.standardOutputText.utf8)
        let report = try JSONDecoder().decode(DoctorReport.self, from: data)
        #expect(report.verdict == (code == 0 ? "ok" : "problem"), sourceLocation: location)
        #expect(program.standardErrorText == "", sourceLocation: location)
        return report
    }

    /// Runs `doctor` on this host and answers its report for people.
    func doctorText(
        expecting code: Int32, as user: [String] = [],
        at location: SourceLocation = #_sourceLocation
    ) async throws -> String {
        var launch = doctorLaunch([])
        launch.prefix = user
        let program = try spawn(launch)
        try await program.expectExit(code, at: location)
        return program.standardOutputText
    }

    private func doctorLaunch(_ arguments: [String]) -> Launch {
        var launch = Launch(Binary.beamscribe, arguments: ["doctor"] + arguments)
        launch.input = .null
        return launch
    }
}
