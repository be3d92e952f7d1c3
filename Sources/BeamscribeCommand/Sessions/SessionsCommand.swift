import ArgumentParser
import BeamscribeCore
import BeamscribeIO
import BeamscribeTerminal
import FoundationEssentials

struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "List the events that this machine has hosted and kept.",
        discussion: """
            Examples:
              beamscribe sessions
              beamscribe sessions --json | jq -r 'select(.state == "interrupted").session'
            What to do with them; a beginning of the id is enough, and `last` is the newest:
              beamscribe export last --output town-hall.srt
              recogniser | beamscribe host --resume 963435f3
              beamscribe sessions end 963435f3
              beamscribe sessions delete 963435f3
            `running`: a host has it now. `stopped`: its host has left, the event may go on. \
            `ended`: over. `interrupted`: its host was killed, or the power failed.
            """,
        version: Version.current,
        subcommands: [EndCommand.self, DeleteCommand.self])

    @Flag(help: "One JSON object a line, with whole ids and times in seconds since 1970.")
    var json = false

    func run() async throws {
        try await exiting {
            SignalSource.unblock([.interrupt, .terminate, .hangUp])
            let folder = StateFolder(environment: ProcessInfo.processInfo.environment)
            let store = SessionStore(in: folder)
            let sessions = try store.list().compactMap { SessionSummary($0, in: store) }
            DamagedSessionWords.warn(of: store)
            guard !sessions.isEmpty else {
                return say("There are no sessions yet: `beamscribe host` keeps one of each event.")
            }
            try print(sessions)
        }
    }

    private func print(_ sessions: [SessionSummary]) throws {
        if json { return try writeOutput(sessions.map { $0.json + "\n" }.joined()) }
        let isTerminal = Terminal.isTerminal(.output)
        let table = SessionTable(
            sessions, width: isTerminal ? max(80, TerminalSize(of: .output).columns) : nil,
            isTerminal ? Console.alignment : .blanks, now: Clock.wall)
        try writeOutput(table.rows.map { $0 + "\n" }.joined())
    }
}
