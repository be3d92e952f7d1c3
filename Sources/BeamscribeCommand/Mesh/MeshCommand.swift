import ArgumentParser
import Beamscribe
import BeamscribeCore
import BeamscribeIO
import FoundationEssentials

struct MeshCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mesh",
        abstract: "Take part in an event in which everybody captions.",
        discussion: """
            Examples:
              beamscribe mesh "Round Table"
              recogniser | beamscribe mesh "Round Table" --as Ann
              beamscribe mesh "Round Table" --host 192.0.2.7:23267
            What comes in on standard input is one's own; what everybody says is printed, also that. \
            Whoever is first begins the event; it goes on as long as anybody is there. Machines find one \
            another, and give on what others lack. Status goes to standard error.
            """,
        version: Version.current)

    @Argument(help: "The event's name, 1 to 255 bytes of UTF-8.")
    var event: String

    @Option(
        help: ArgumentHelp(
            "Where one of the others is, where it is not found; may be repeated.",
            valueName: "address"))
    var host: [String] = []

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "What your captions are called (default: this machine's name).", valueName: "label"))
    var label: String?

    @Option(
        help: ArgumentHelp(
            "This machine's name for people (default: its host name).", valueName: "device"))
    var name: String?

    @Option(help: "The TCP port; 0 for a free one (default: 23267, or a free one if it is taken).")
    var port: UInt16?

    @Option(
        help: ArgumentHelp(
            "An address to listen at; may be repeated (default: all).", valueName: "address"))
    var bind: [String] = []

    @Flag(help: "Announce nothing on the network, and look for nobody there.")
    var noBonjour = false

    @Flag(help: "Write nothing to the disk.")
    var ephemeral = false

    @Option(help: "What a pipe gets: text, jsonl, srt or vtt.")
    var format: TranscriptFormat = .text

    @OptionGroup var inputOptions: HostInputOptions

    @OptionGroup var consoleOptions: HostConsoleOptions

    @OptionGroup var glossary: GlossaryOption

    @OptionGroup var security: HostSecurityOptions

    @OptionGroup var backbone: NATSHostOptions

    @OptionGroup var verbosity: Verbosity

    @Option(help: "How status is written: text or jsonl.")
    var logFormat: StatusLog.Format = .text

    func validate() throws {
        try check(
            !event.isEmpty && event.utf8.count <= Limits.eventNameBytes
                && event.contains { !$0.isWhitespace && SafeText.isSafe(String($0)) },
            "an event's name is 1 to \(Limits.eventNameBytes) bytes of UTF-8 that can be seen.")
        try check(
            label?.allSatisfy(\.isWhitespace) != true
                && label?.utf8.count ?? 0 <= Limits.labelBytes,
            "--as takes a name of 1 to \(Limits.labelBytes) bytes, such as Ann.")
        try check(
            !security.insecure,
            "there is no mesh without encryption: nobody could tell whose words these are.")
        try backbone.checkReaders(hasCode: security.isCodeGiven, isInsecure: security.insecure)
        for address in bind {
            try check(IPAddress(address) != nil, "--bind takes an IP address, not '\(address)'.")
        }
        for address in host {
            try check(
                HostAddress(address) != nil,
                "--host takes an address such as 192.0.2.7:23267, not '\(SafeText.line(address))'.")
        }
    }

    /// How long the event is looked for before it is begun, and where nobody answers who was named.
    private static let search = Duration.seconds(1)
    private static let patience = Duration.seconds(10)

    func run() async throws {
        try await exiting {
            ResourceLimits.raiseOpenFiles()
            let thread = try LoopThread()
            let search = try await inputOptions.search()
            let folder = StateFolder(environment: ProcessInfo.processInfo.environment)
            let signals = Signals(on: thread)
            try await signals.start()
            await signals.endWithReader()
            let proof = try await HostProof(
                security, in: folder, for: UUID(), isEphemeral: ephemeral)
            let screen = try consoleOptions.screen(inputOptions, verbosity)
            var configuration = try configuration(in: folder, proof, search?.found.first)
            if screen?.kind == .typed { configuration.input = .typed }
            configuration.backbone = try backbone.server()
            var endpoints: [Endpoint] = []
            for address in host.compactMap(HostAddress.init) {
                endpoints += try await address.resolve()
            }
            let mesh = try Mesh(
                configuration, as: ownLabel, at: endpoints, code: proof.code, on: thread)
            let (node, isFounder) = try await find(mesh, endpoints)
            guard isFounder || proof.codeToShow == nil else {
                throw Failure(
                    .usage,
                    "\"\(SafeText.line(event))\" is there already: give its code to --code, or in "
                        + "\(GivenCode.variable); without one --code makes up that of a new event.")
            }
            let console = screen.map { screen in
                let desk = OperatorDesk(
                    of: node, screen.kind, speakers: consoleOptions.speaker, page: nil,
                    keep: { [glossary] pair throws(SystemError) in try glossary.append(pair) })
                return (desk, HostConsole(desk, on: screen, KeySource(on: thread, screen.counting)))
            }
            let outcome = await Result {
                try await takePart(
                    node, isFounder, configuration, proof, search, signals, console)
            }
            await console?.1.stop()
            try outcome.get()
        }
    }

    private var deviceName: String {
        SafeText.name(name ?? HostNameResolver.ownName, bytes: Limits.deviceNameBytes)
    }

    private var ownLabel: String { SafeText.name(label ?? deviceName, bytes: Limits.labelBytes) }

    private func configuration(
        in folder: StateFolder, _ proof: HostProof, _ found: FoundRecogniser?
    ) throws -> HostConfiguration {
        let device = (ephemeral ? nil : try? folder.claimDeviceID()) ?? .temporary()
        var configuration = HostConfiguration(
            eventName: SafeText.name(event, bytes: Limits.eventNameBytes), deviceName: deviceName,
            deviceID: DeviceSecret(device.id).id(at: proof.security.fingerprint),
            security: proof.security)
        configuration.port = port.map { .number($0) } ?? .standard
        configuration.addresses = bind.compactMap(IPAddress.init)
        configuration.storage = ephemeral ? .none : .new(SessionStore(in: folder))
        configuration.otherLogs = ephemeral ? nil : SessionStore(in: folder)
        inputOptions.apply(to: &configuration, found)
        if inputOptions.isKeyboard {
            configuration.timing.stalledAfter = nil
            configuration.isTypedLineByLine = true
        }
        configuration.glossary = try glossary.read()
        configuration.announces = !noBonjour
        configuration.bluetooth = .nothing
        return configuration
    }

    private func find(
        _ mesh: Mesh, _ endpoints: [Endpoint]
    ) async throws -> (Host, isFounder: Bool) {
        do {
            return try await mesh.find(for: endpoints.isEmpty ? Self.search : Self.patience)
        } catch Mesh.Trouble.noAnswer {
            throw Failure(
                .noHost,
                "nobody who takes part in an event answers at \(host.joined(separator: ", ")). Without "
                    + "--host this machine looks for \"\(SafeText.line(event))\", or begins it.")
        } catch Mesh.Trouble.noServer(let why) {
            throw Failure(
                .noHost,
                "whether \"\(SafeText.line(event))\" is there nobody can say: the NATS server cannot be "
                    + "reached (\(why)). Without --nats this machine looks for it on its network, or begins "
                    + "it.")
        } catch Mesh.Trouble.cannotSign {
            throw Failure(
                .cannotMakeFile,
                "nothing can be signed: the key of this machine is none of P-256.")
        } catch Mesh.Trouble.start(let error) {
            throw error
        }
    }

    private func takePart(
        _ node: Host, _ isFounder: Bool, _ configuration: HostConfiguration, _ proof: HostProof,
        _ search: RecogniserSearch?, _ signals: Signals,
        _ console: (desk: OperatorDesk, console: HostConsole)?
    ) async throws {
        try await HostCommand.start(node)
        let ending = Task {
            for await _ in signals.ending.listen() {
                await console?.desk.sendTyped()
                await node.stop()
            }
        }
        defer { ending.cancel() }
        await console?.console.start(signals)
        let logger = verbosity.logger(logFormat)
        let printing = Task {
            _ = try await LinePrinter(
                format, isOfAll: true, outputs: .none,
                announcer: Announcer(isPlainTerminal: false, logger: logger)
            ).run(node.captionsOfAll, stop: { await node.stop() })
        }
        let security = SecurityReporter(proof: proof, format: logFormat, logger: logger)
        var reporter = MeshReporter(
            configuration.eventName, as: ownLabel, readsKeyboard: inputOptions.isKeyboard,
            by: HostReporter(
                HostReporter.Facts(
                    logger: logger, event: configuration.eventName,
                    session: ephemeral ? nil : String(node.session.prefix(8)),
                    readsPipe: inputOptions.isPipe, readsKeyboard: inputOptions.isKeyboard,
                    label: ownLabel, runs: inputOptions.run != nil,
                    choice: search?.choiceWords ?? [],
                    console: nil, endsWithInput: inputOptions.untilEof, fate: "",
                    isEverywhere: bind.isEmpty, wantsBluetooth: false,
                    backbone: configuration.backbone?.name),
                security, nil), security)
        for await batch in node.news {
            for news in batch { reporter.report(news, isFounder: isFounder) }
        }
        try await printing.value
        if let error = reporter.inputFailure { throw Failure(.inputOutput, "\(error).") }
        if let why = reporter.storageFailure {
            throw Failure(
                .inputOutput, "what was said here was not saved to its end: \(why).")
        }
    }
}
