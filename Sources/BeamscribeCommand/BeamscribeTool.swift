import ArgumentParser
import BeamscribeIO

/// The program: blocks the signals that it reads as events, before any thread is there to be
/// interrupted by them, and hands over to the subcommands.
@main
enum Program {
    static func main() {
        StandardStreams.fillIn()
        SignalSource.block(Signals.all)
        SignalSource.ignoreBrokenPipes()
        MainThread.wait { await BeamscribeTool.main() }
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
        subcommands: [HostCommand.self, JoinCommand.self, BrowseCommand.self])
}

/// The program's version (https://semver.org).
enum Version {
    static let current = "0.1.0"
}
