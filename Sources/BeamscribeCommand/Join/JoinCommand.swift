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

    @Argument(
        help: "The event's name, or a beginning of it that only one event has.",
        completion: Completions.events)
    var event: String?

    @Option(
        help: ArgumentHelp("Join this host, without looking for one.", valueName: "address[:port]"))
    var host: String?

    @Option(
        help: ArgumentHelp(
            "Give up finding a host after this (default: never on a terminal, else 10).",
            valueName: "seconds"))
    var timeout: Double?

    @OptionGroup var output: JoinOutputOptions

    @OptionGroup var reader: ReaderOptions

    @Flag(help: "Leave out what was said before.")
    var noHistory = false

    @Option(help: ArgumentHelp("Begin at this line.", valueName: "seq"))
    var from: Int?

    @Flag(help: "End when the connection is lost.")
    var noReconnect = false

    @OptionGroup var security: JoinSecurityOptions

    @OptionGroup var bluetooth: BluetoothOption

    @OptionGroup var verbosity: Verbosity

    func validate() throws {
        if let timeout, !(0...86_400).contains(timeout) {
            throw ValidationError("--timeout takes 0 to 86400 seconds.")
        }
        if let from, from < 1 { throw ValidationError("--from takes a line number from 1.") }
        if from != nil, noHistory {
            throw ValidationError("--from and --no-history exclude each other: give one of them.")
        }
        if host != nil, event != nil {
            throw ValidationError("Give the event's name or --host, not both.")
        }
        if let host, HostAddress(host) == nil {
            throw ValidationError(
                "--host takes ADDRESS or ADDRESS:PORT as the host shows it, not '\(host)'.")
        }
    }

    /// How often JSON tells how the guest fares.
    static let statisticsInterval: Duration = .seconds(10)

    var searchTimeout: Duration? {
        if let timeout { return .seconds(timeout) }
        return Terminal.isTerminal(.output) ? nil : .seconds(10)
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
                    prompt: CodePrompt(on: thread, signals, console: console))
                let outputs = try output.open(usually: preferences.settings.languages)
                let outcome = await Result {
                    try await takePart(trust, thread, signals, console, outputs, preferences)
                }
                await outputs.close()
                try outcome.get()
            }
            // However it ended, the terminal is given back.
            await console?.stop()
            try outcome.get()
        }
    }

    private func show(_ preferences: ReaderPreferences) throws {
        if let warning = preferences.warning { say("warning: \(warning)") }
        try writeOutput(preferences.description)
    }

    private func display(
        _ console: Console?, _ preferences: ReaderPreferences, _ outputs: GuestOutputs
    ) -> LiveDisplay? {
        console.map {
            LiveDisplay(
                console: $0, preferences: preferences, outputs: outputs, savingTo: output.save)
        }
    }

    private func takePart(
        _ trust: JoinSecurity, _ thread: LoopThread, _ signals: Signals, _ console: Console?,
        _ outputs: GuestOutputs, _ preferences: ReaderPreferences
    ) async throws {
        // Hosts that turned out not to be meant, or not to be trusted.
        var others: Set<String> = []
        var refused: Refused?
        while true {
            let target: GuestConfiguration.Target
            switch try await findTarget(
                thread, signals, console, await trust.expectation, not: others,
                endsWithNobody: refused != nil)
            {
            case .found(let found): target = found
            case .left: return
            case .nobody:
                guard let last = refused else { return }
                let display = display(console, preferences, outputs)
                let expectation = await trust.expectation
                return try await takePart(against: last, trust) {
                    try await take(
                        part: last.target, asking: $0, expectation, thread, signals, display,
                        outputs)
                }
            }
            if let refused { refused.say() }
            refused = nil
            let display = display(console, preferences, outputs)
            let part = try await take(part: target, trust, thread, signals, display, outputs)
            switch part {
            case .over: return
            case .refused(let refusal):
                refused = Refused(target: target, refusal: refusal)
                fallthrough
            case .anotherEvent:
                if case .host(let host) = target { others.insert(host.id) }
            }
        }
    }

    /// A host that was found and not trusted.
    private struct Refused {
        let target: GuestConfiguration.Target
        let refusal: SecurityRefusal

        /// Names it, where others may be right.
        func say() {
            guard case .host(let host) = target else { return }
            BeamscribeCommand.say("warning: \(RefusalWords.passedOver(refusal, at: host.place))")
        }
    }

    /// Nobody else is there: the user may say yes to the last one all the same.
    private func takePart(
        against last: Refused, _ trust: JoinSecurity,
        _ take: (GuestSecurity) async throws -> GuestOutcome?
    ) async throws {
        guard
            let asked = await trust.demand(
                of: last.target, at: identity, against: last.refusal)
        else { throw Failure(last.refusal) }
        let outcome = try await take(asked)
        if let failure = outcome.flatMap({ Failure($0, host: host ?? event) }) { throw failure }
    }

    // MARK: Finding

    /// What the host's key is remembered under where it is joined by its address.
    var identity: String? { host.flatMap { HostAddress($0)?.identity } }

    private enum Found {
        case found(GuestConfiguration.Target)
        case nobody
        case left
    }

    private func findTarget(
        _ thread: LoopThread, _ signals: Signals, _ console: Console?,
        _ expectation: HostExpectation, not others: Set<String>, endsWithNobody: Bool
    ) async throws -> Found {
        if let host, let address = HostAddress(host) {
            if endsWithNobody { return .nobody }
            return .found(.endpoints(try await address.resolve(), name: host))
        }
        let selection = HostSelection(
            name: event, others: others, timeout: searchTimeout, expectation: expectation,
            endsWithNobody: endsWithNobody, bluetooth: bluetooth.bus, console: console,
            logger: verbosity.logger())
        return switch try await selection.run(on: thread, signals: signals) {
        case .found(let host): .found(.host(host))
        case .nobody: .nobody
        case .left: .left
        }
    }
}
