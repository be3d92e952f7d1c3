import ArgumentParser
import Beamscribe
import BeamscribeCore
import BeamscribeIO
import FoundationEssentials

struct RelayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay",
        abstract: "Serve the captions of an event to others, and show none.",
        discussion: """
            Examples:
              beamscribe relay "Town Hall"
              beamscribe relay --host 192.0.2.7:23267 --web
            Readers find it as they find the host, or by its address; they believe what the host has \
            signed, whoever serves it. Where the host goes, the event goes on for them here until it is \
            back. Status goes to standard error. A reader can do the same: beamscribe join --serve.
            """,
        version: Version.current)

    @OptionGroup var choice: EventOptions

    @OptionGroup var serving: ServingOptions

    @OptionGroup var web: HostWebOptions

    @OptionGroup var security: JoinSecurityOptions

    @OptionGroup var backbone: NATSOptions

    @OptionGroup var bluetooth: BluetoothOption

    @OptionGroup var verbosity: Verbosity

    @Option(help: "How status is written: text or jsonl.")
    var logFormat: StatusLog.Format = .text

    func validate() throws {
        try check(
            !security.insecure,
            "a relay does nothing without encryption: nobody could tell whose words these are.")
        try check(!web.webFloor, "--web-floor is for the host: a relay passes on no voices.")
        try check(
            backbone.nats == nil || choice.host == nil,
            "--nats and --host exclude each other: give the event's name with --nats.")
        try check(
            backbone.nats == nil || choice.event != nil,
            "--nats needs the event's name: beamscribe relay --nats URL \"Town Hall\".")
    }

    private func visit(at server: BackboneServer?) -> Visit {
        Visit(
            event: choice.event, host: choice.host, searchTimeout: choice.searchTimeout,
            backbone: server, insecure: false, bluetooth: bluetooth,
            logger: verbosity.logger(logFormat), format: nil,
            serving: ServingOptions.Serving(options: serving, role: .relay),
            page: web.web.map { _ in Visit.Page(options: web, format: logFormat) })
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        try await exiting {
            let thread = try LoopThread()
            let signals = Signals(on: thread)
            try await signals.start()
            let server = try backbone.server()
            let trust = try JoinSecurity(
                security, in: StateFolder(environment: environment),
                prompt: TerminalPrompt(on: thread, signals, console: nil))
            try await Attendance(
                visit: visit(at: server), preferences: nil, thread: thread, signals: signals,
                console: nil,
                trust: trust, outputs: .none
            ).run()
        }
    }
}
