import ArgumentParser
import Beamscribe
import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO
import BeamscribeTerminal
import FoundationEssentials

struct JoinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Show the captions of an event.",
        discussion: """
            Examples:
              beamscribe join
              beamscribe join "Town Hall" --save town-hall.srt
              beamscribe join --host 192.0.2.7:23267 --format jsonl | jq .text
            On a terminal it shows the captions as they are said. On a pipe, or with --plain, it \
            prints each finished line once.
            """,
        version: Version.current,
        aliases: ["guest"])

    @OptionGroup var choice: EventOptions

    @OptionGroup var output: JoinOutputOptions

    @OptionGroup var reader: ReaderOptions

    @Flag(help: "Leave out what was said before.")
    var noHistory = false

    @Option(help: ArgumentHelp("Begin at this line.", valueName: "seq"))
    var from: Int?

    @Flag(help: "End when the connection is lost.")
    var noReconnect = false

    @Flag(
        help:
            "Serve the event to others, too, so that it goes on for them if its host goes: opens a port."
    )
    var serve = false

    @OptionGroup var serving: ServingOptions

    @OptionGroup var security: JoinSecurityOptions

    @OptionGroup var bluetooth: BluetoothOption

    @OptionGroup var verbosity: Verbosity

    func validate() throws {
        try check(from ?? 1 >= 1, "--from takes a line number from 1.")
        try check(
            from == nil || !noHistory,
            "--from and --no-history exclude each other: give one of them.")
        try check(
            serve || !serving.isGiven,
            "--port, --bind, --max-guests, --no-bonjour, --keep, --keep-for and --new go with "
                + "--serve.")
        try check(
            !(serve && security.insecure),
            "--serve and --insecure exclude each other: without encryption nobody can tell whose "
                + "words these are.")
    }

    private var searchTimeout: Duration? {
        if let given = choice.searchTimeout { return given }
        return Terminal.isTerminal(.output) ? nil : .seconds(10)
    }

    private var visit: Visit {
        Visit(
            event: choice.event, host: choice.host, searchTimeout: searchTimeout,
            start: noHistory ? .next : from.map { .line($0) } ?? .beginning,
            reconnects: !noReconnect, insecure: security.insecure, bluetooth: bluetooth,
            logger: verbosity.logger(), format: output.format,
            isPlainTerminal: output.isPlainTerminal,
            serving: serve ? ServingOptions.Serving(options: serving, role: .peer) : nil)
    }

    func run() async throws {
        let preferences = ReaderPreferences(
            reader, environment: ProcessInfo.processInfo.environment)
        if reader.showConfig { return try await exiting { try show(preferences) } }
        try await exiting {
            let thread = try LoopThread()
            let signals = Signals(on: thread)
            try await signals.start()
            await signals.endWithReader()
            let console = output.isLive ? Console(on: thread) : nil
            await console?.start()
            // JSON tells each state, and this is the first.
            if output.format == .jsonl {
                try writeOutput(#"{"state":"searching","type":"state"}"# + "\n")
            }
            let outcome = await Result {
                let trust = try JoinSecurity(
                    security, in: StateFolder(environment: ProcessInfo.processInfo.environment),
                    prompt: TerminalPrompt(on: thread, signals, console: console))
                let outputs = try output.open(usually: preferences.settings.languages)
                let outcome = await Result {
                    try await Attendance(
                        visit: visit, preferences: preferences, thread: thread, signals: signals,
                        console: console, trust: trust, outputs: outputs
                    ).run()
                }
                let unsaved = await outputs.close()
                // Why the captions have ended says more, and a file that lacks some is told as well.
                if case .failure = outcome, let unsaved { say("warning: \(unsaved.message)") }
                try outcome.get()
                if let unsaved { throw unsaved }
            }
            // However it ended, the terminal is given back.
            await console?.stop()
            try outcome.get()
        }
    }

    private func show(_ preferences: ReaderPreferences) throws {
        if let warning = preferences.warning { say("warning: \(warning)") }
        try writeOutput(preferences.file.description(of: preferences.settings))
    }
}
