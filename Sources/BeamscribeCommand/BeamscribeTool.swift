import ArgumentParser
import BeamscribeCore
import BeamscribeIO

/// The program: blocks the signals that it reads as events, before any thread is there to be
/// interrupted by them, and hands over to the subcommands.
@main
enum Program {
    static func main() {
        StandardStreams.fillIn()
        CrashReports.leaveToSystem()
        SignalSource.block(SignalSource.Signal.allCases)
        SignalSource.ignoreBrokenPipes()
        MainThread.run { await exitCode() }
    }

    /// Runs the command, and says what is to be said of how it ended.
    private static func exitCode() async -> Int32 {
        do {
            try BeamscribeTool.checkName(among: Array(CommandLine.arguments.dropFirst()))
            var command = try BeamscribeTool.parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            return 0
        } catch {
            let code = BeamscribeTool.exitCode(for: error).rawValue
            let message = CompletionScript.mended(safe(BeamscribeTool.fullMessage(for: error)))
            // Help that was asked for is the command's output.
            if !message.isEmpty {
                try? Terminal.write(message + "\n", to: code == 0 ? .output : .error)
            }
            return code
        }
    }

    /// An error repeats what was typed, and that may have been copied from anywhere. Its own line
    /// breaks stay.
    private static func safe(_ message: String) -> String {
        message.split(separator: "\n", omittingEmptySubsequences: false)
            .map { SafeText.line(String($0)) }.joined(separator: "\n")
    }
}

struct BeamscribeTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beamscribe",
        abstract: "Live captions for everyone in the room, with no internet.",
        discussion: """
            One machine sends what any program prints:
              recogniser | beamscribe host --event "Town Hall"
            Every other machine of the network shows it, with all that was said before:
              beamscribe join
            """,
        version: Version.current,
        subcommands: [
            HostCommand.self, JoinCommand.self, TalkCommand.self, ListenCommand.self,
            MeshCommand.self, RelayCommand.self, BrowseCommand.self,
            DoctorCommand.self, SessionsCommand.self, ExportCommand.self,
        ])

    /// A name that is mistyped is told from one, and `help nope` from help.
    fileprivate static func checkName(among arguments: [String]) throws {
        // What shells ask for completion is no command of ours.
        if arguments.first?.hasPrefix("-") ?? true { return }
        let commands = configuration.subcommands
        let names = CommandNames(
            commands.map { $0._commandName }, aliases: commands.flatMap { $0.configuration.aliases }
        )
        try names.complaint(about: arguments).map { throw ValidationError($0) }
    }

    /// What somebody sees who does not know yet what to type. To ask is no error.
    func run() throws {
        try writeOutput(
            """
            beamscribe: live captions for everyone in the room, with no internet.

            Send what a recogniser prints, or what you type:
              recogniser | beamscribe host --event "Town Hall"

            Read along on any other machine of the network:
              beamscribe join

            Keep it, and get it out later:
              beamscribe export last --output town-hall.srt

            More: beamscribe --help has the commands, beamscribe help join the options
            of one, man beamscribe all of it. If nothing works: beamscribe doctor.

            """)
    }
}

/// The program's version (https://semver.org).
enum Version {
    static let current = "0.1.0"
}
