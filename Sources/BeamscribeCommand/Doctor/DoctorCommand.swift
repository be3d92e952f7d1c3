import ArgumentParser
import BeamscribeIO
import BeamscribeTerminal
import FoundationEssentials

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check whether this machine has what beamscribe needs.",
        discussion: """
            Examples:
              beamscribe doctor
              beamscribe doctor --json | jq -r '.checks[] | select(.status != "ok") | .advice'
            It changes nothing and takes a few seconds. As root it can read the firewall's rules \
            too. It ends with 0 if a host and its guests would work here, and with 69 if not.
            """,
        version: Version.current)

    @Flag(help: "One JSON object (docs/DOCTOR.md).")
    var json = false

    func run() async throws {
        try await exiting {
            let thread = try LoopThread()
            let signals = Signals(on: thread)
            try await signals.start()
            // Nothing has to be put in order, so whoever interrupts need not wait. The code is what
            // a shell gives a program that a signal ended: 0 would be a verdict.
            let ending = Task {
                for await signal in signals.ending.listen() {
                    MainThread.end(with: 128 + signal.rawValue)
                }
            }
            defer { ending.cancel() }
            let examination = Examination(
                files: SystemFiles(), environment: ProcessInfo.processInfo.environment,
                isRoot: User.isRoot)
            let diagnosis = await examination.diagnose()
            try writeOutput(json ? diagnosis.line : report.text(diagnosis))
            if diagnosis.verdict == .problem { throw ExitCode(Failure.Code.noHost.rawValue) }
        }
    }

    private var report: DiagnosisReport {
        guard Terminal.isTerminal(.output) else {
            return DiagnosisReport(columns: 80, style: TerminalStyle(colour: false))
        }
        let columns = TerminalSize(of: .output).columns
        return DiagnosisReport(columns: columns, style: Console.style, Console.alignment)
    }
}
