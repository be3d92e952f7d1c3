import Foundation
import TestSupport

/// The program's own words about its commands.
enum DumpedHelp {
    /// The names of its commands, `help` among them; empty where it does not tell them.
    static let commands: [String] = {
        let program = Process()
        let output = Pipe()
        program.executableURL = URL(filePath: Binary.beamscribe)
        program.arguments = ["--experimental-dump-help"]
        program.standardOutput = output
        guard (try? program.run()) != nil,
            let bytes = try? output.fileHandleForReading.readToEnd(),
            let help = try? JSONDecoder().decode(Help.self, from: bytes)
        else { return [] }
        program.waitUntilExit()
        return help.command.subcommands.map(\.commandName)
    }()

    private struct Help: Decodable {
        struct Command: Decodable {
            var commandName: String
            var subcommands: [Subcommand]
        }
        struct Subcommand: Decodable { var commandName: String }

        var command: Command
    }
}
