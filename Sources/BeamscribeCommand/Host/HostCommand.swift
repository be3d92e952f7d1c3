import ArgumentParser
import Beamscribe
import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials
import Logging

struct HostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "host",
        abstract: "Send the text on standard input to everybody who joins.",
        discussion: """
            Examples:
              beamscribe host --event "Town Hall" --run
              recogniser | beamscribe host --event "Town Hall"
              beamscribe host --event Lecture --input notes.txt --until-eof
              recogniser | beamscribe host --resume last
              beamscribe host --event Rehearsal --input talk.srt --pace 1.0
            What many recognisers and subtitle files look like is known (--input-format); of all \
            else each line is a caption; a line that is still being written is shown as it grows. Status \
            goes to standard error. `man beamscribe` lists the exit codes.
            """,
        version: Version.current)

    @Option(
        help: "The event's name, 1 to 255 bytes of UTF-8; a resumed session has its own already.")
    var event: String?

    @OptionGroup var transcript: HostSessionOptions

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

    @OptionGroup var contribution: ContributionOptions

    @OptionGroup var inputOptions: HostInputOptions

    @OptionGroup var consoleOptions: HostConsoleOptions

    @Flag(
        help:
            "Mask profanity for all guests: the words of a short English list. The log and `beamscribe export` keep what was said."
    )
    var profanityFilter = false

    @OptionGroup var maskedWords: MaskedWords

    @OptionGroup var glossary: GlossaryOption

    @OptionGroup var translation: TranslationOptions

    @Option(help: ArgumentHelp("Guests at once.", valueName: "n"))
    var maxGuests: Int = Limits.guests

    @Option(
        help: ArgumentHelp(
            "Memory for the transcript; the oldest lines go beyond it.", valueName: "bytes"))
    var history: Int = Limits.history

    @Option(help: ArgumentHelp("A guest that stays this long has joined.", valueName: "seconds"))
    var gate: Double = 4

    @Flag(help: "Do not announce the event on the network.")
    var noBonjour = false

    @OptionGroup var security: HostSecurityOptions

    @OptionGroup var web: HostWebOptions

    @OptionGroup var relays: PageRelayOptions

    @OptionGroup var backbone: NATSHostOptions

    @OptionGroup var voice: HostVoiceOptions

    @OptionGroup var bluetooth: BluetoothOption

    @Flag(help: "Let guests without a network take the captions over Bluetooth.")
    var bleCaptions = false

    @Flag(help: "Copy each final line to standard output.")
    var tee = false

    // Who forgets --event should be told that, and not that a word is unexpected.
    @Argument(help: .hidden)
    var words: [String] = []

    @OptionGroup var verbosity: Verbosity

    @Option(help: "How status is written: text or jsonl.")
    var logFormat: StatusLog.Format = .text

    func validate() throws {
        if let event {
            try check(
                !event.isEmpty && event.utf8.count <= Limits.eventNameBytes,
                "--event takes 1 to \(Limits.eventNameBytes) bytes of UTF-8.")
            try check(
                event.contains { !$0.isWhitespace && SafeText.isSafe(String($0)) },
                "--event needs a name that can be seen.")
        }
        try check(
            !(bleCaptions && bluetooth.noBle),
            "--ble-captions and --no-ble exclude each other.")
        try check((1...65_536).contains(maxGuests), "--max-guests takes a number from 1 to 65536.")
        try check(
            history >= 2 * Limits.chunk, "--history takes at least \(2 * Limits.chunk) bytes.")
        try check(
            !(security.insecure && !contribution.admit.isEmpty),
            "--admit and --insecure exclude each other: without encryption nothing is signed.")
        try contribution.checkRevoked()
        try contribution.checkTranslation(
            lang: inputOptions.lang, isTranslated: !translation.translate.isEmpty)
        try translation.check(spoken: inputOptions.lang)
        try check(
            !web.webFloor || voice.floor != nil,
            "--web-floor needs --floor: it has the page play that.")
        try relays.check(hasPage: web.web != nil)
        try backbone.checkReaders(hasCode: security.isCodeGiven, isInsecure: security.insecure)
        try voice.checkOffer(
            isInsecure: security.insecure, readsCaptionsElsewhere: !inputOptions.readsStandardInput)
        try check((0...3_600).contains(gate), "--gate takes 0 to 3600 seconds.")
        for address in bind {
            try check(IPAddress(address) != nil, "--bind takes an IP address, not '\(address)'.")
        }
    }

    /// Behind the options: one that is mistyped is what is to be told of.
    private func checkName() throws {
        if contribution.other != nil { return try checkContribution() }
        if let word = words.first {
            let isName = event == nil && transcript.resume == nil
            let name = isName ? words.joined(separator: " ") : SafeText.line(word)
            try check(
                false,
                isName
                    ? "an event's name goes behind --event: beamscribe host --event \(ShellWord(name).quoted)"
                    : "'\(name)' is one word too many: quote a name of several words.")
        }
        try check(
            event != nil || transcript.resume != nil,
            "--event is needed: the name that guests will see.")
    }

    /// What goes to somebody else's event has no readers of its own.
    private func checkContribution() throws {
        // Who stands by serves the event, as its host does.
        let serves = contribution.standby != nil
        let own: [(option: String, isGiven: Bool)] = [
            ("--event", event != nil), ("--resume", transcript.resume != nil),
            ("--port", port != nil && !serves), ("--bind", !bind.isEmpty && !serves),
            ("--web", web.web != nil), ("--ble-captions", bleCaptions),
            ("--nats", backbone.reading.nats != nil), ("--voice", voice.voice),
            ("--insecure", security.insecure),
        ]
        let with = contribution.option
        if let option = own.first(where: \.isGiven)?.option {
            try check(
                false, "\(option) is about an event of your own; with \(with) it is another host's."
            )
        }
        try check(
            security.code?.isEmpty != true, "--code needs the event's code where there is \(with).")
        try check(
            words.isEmpty,
            "'\(SafeText.line(words.first ?? ""))' is one word too many: quote a name.")
    }

    func run() async throws {
        try checkName()
        try await exiting {
            ResourceLimits.raiseOpenFiles()
            let thread = try LoopThread()
            let search = try await inputOptions.search()
            let folder = StateFolder(environment: ProcessInfo.processInfo.environment)
            let signals = Signals(on: thread)
            try await signals.start()
            let store = SessionStore(in: folder)
            transcript.forgetExpired(in: store)
            if let other = contribution.other {
                return try await contribute(to: other, in: folder, search, on: thread, signals)
            }
            let resumed: StoredSession?
            switch try await transcript.begin(
                event, hasCode: security.isCodeGiven, in: store, asking: prompt(on: thread, signals)
            )
            {
            case .new: resumed = nil
            case .resumed(let stored): resumed = stored
            case .left: return
            }
            let session = resumed.flatMap { UUID(uuidString: $0.record.session) } ?? UUID()
            let proof = try await HostProof(
                security, in: folder, for: session, isEphemeral: transcript.ephemeral)
            if let resumed { try proof.checkGoesOn(resumed.record) }
            var configuration = try hostConfiguration(
                folder, session, resumed, proof, search?.found.first)
            configuration.backbone = try backbone.server()
            let voices = try voice.begin(calledBy: configuration.deviceName)
            configuration.voices = voices?.configuration
            voices?.proof?.tell(verbosity.logger(logFormat), logFormat)
            await configuration.regainLostLines(code: proof.code, on: thread)
            try await conduct(configuration, proof, resumed, search, on: thread, signals)
            try transcript.checkIsForgotten(session.wireName, resumed, in: store)
        }
    }

    /// Hosts until that is done.
    ///
    /// - Parameter begins: told of the host before it starts.
    private func conduct(
        _ configuration: HostConfiguration, _ proof: HostProof, _ resumed: StoredSession?,
        _ search: RecogniserSearch?, on thread: LoopThread, _ signals: Signals,
        begins: (Host) async throws -> Void = { _ in }
    ) async throws {
        var configuration = configuration
        let screen = try consoleOptions.screen(inputOptions, verbosity)
        if screen?.kind == .typed { configuration.input = .typed }
        let host = try Host(configuration, on: thread)
        let page = try await PageService.begin(
            web, for: await host.feed, at: resumed?.record.web?.port,
            link: resumed?.record.web?.token, hasCode: proof.security.hasCode)
        try await begins(host)
        try await Self.start(host)
        async let copying = copyFinals(of: host)
        let desk = screen.map {
            OperatorDesk(
                of: host, $0.kind, speakers: consoleOptions.speaker, page: page,
                keep: { [glossary] pair throws(SystemError) in try glossary.append(pair) })
        }
        let console = screen.flatMap { screen in
            desk.map { HostConsole($0, on: screen, KeySource(on: thread, screen.counting)) }
        }
        let ending = Task {
            for await _ in signals.ending.listen() {
                await desk?.sendTyped()
                await host.stop()
            }
        }
        let logger = verbosity.logger(logFormat)
        let reports = Task { await reportGuests(of: host, signals, logger) }
        defer {
            ending.cancel()
            reports.cancel()
        }
        await console?.start(signals)
        let outcome = await Result {
            try await report(
                host, of: configuration, proof, screen?.kind, page, search,
                fate: transcript.fate(of: resumed))
        }
        let copy = await copying
        await page?.stop()
        await console?.stop()
        try outcome.get()
        if let failure = copy.failure { throw failure }
    }

    // MARK: In somebody else's event

    /// Captions as one more log of an event that another host has founded.
    private func contribute(
        to event: String, in folder: StateFolder, _ search: RecogniserSearch?,
        on thread: LoopThread, _ signals: Signals
    ) async throws {
        let label = contribution.name ?? ""
        let logger = verbosity.logger(logFormat)
        let trust = try JoinSecurity(
            try JoinSecurityOptions.parse(security.code.map { ["--code", $0] } ?? []), in: folder,
            prompt: TerminalPrompt(on: thread, signals, console: nil))
        let proof = try HostProof(signingIn: folder, isEphemeral: transcript.ephemeral)
        let contributor = Contributor(
            of: label, into: event, translating: contribution.of,
            standsBy: contribution.standby != nil,
            by: proof.security.fingerprint, logger: logger
        ) { joined, original, guest, contributor in
            let log = SessionRecord.Contribution(
                to: joined.session, as: label, lang: inputOptions.lang,
                standingInFor: contribution.standby == nil ? nil : joined.session,
                translating: original)
            try await host(log, in: joined, proof, in: folder, search, on: thread, signals) {
                try await contributor.begins($0, through: guest)
            }
        }
        let visit = Visit(
            event: event, host: contribution.host, searchTimeout: nil,
            start: contribution.standby == nil ? .next : .beginning,
            insecure: false, bluetooth: bluetooth, logger: logger, format: nil,
            serving: try serving, contribution: contributor)
        try await Attendance(
            visit: visit, preferences: nil, thread: thread, signals: signals, console: nil,
            trust: trust, outputs: .none
        ).run()
    }

    /// Who stands by serves the event: whoever loses its host reads on there. Nil for who does not.
    private var serving: ServingOptions.Serving? {
        get throws {
            guard contribution.standby != nil else { return nil }
            let words =
                (port.map { ["--port", "\($0)"] } ?? []) + bind.flatMap { ["--bind", $0] }
                + ["--max-guests", "\(maxGuests)"] + (noBonjour ? ["--no-bonjour"] : [])
            return ServingOptions.Serving(options: try ServingOptions.parse(words), role: .writer)
        }
    }

    private func host(
        _ log: SessionRecord.Contribution, in event: JoinedEvent, _ proof: HostProof,
        in folder: StateFolder, _ search: RecogniserSearch?, on thread: LoopThread,
        _ signals: Signals,
        begins: (Host) async throws -> Void
    ) async throws {
        let store = SessionStore(in: folder)
        let resumed = try transcript.contribution(log, by: proof.security.fingerprint, in: store)
        let session = resumed.flatMap { UUID(uuidString: $0.record.session) } ?? UUID()
        var configuration = try hostConfiguration(
            folder, session, resumed, proof, search?.found.first)
        (configuration.eventName, configuration.contribution) = (event.eventName, log)
        configuration.beginsOffAir = log.standsInFor != nil
        (configuration.announces, configuration.bluetooth) = (false, .nothing)
        // Whoever comes late gets it from the event's host.
        configuration.linger = .zero
        try await conduct(
            configuration, proof, resumed, search, on: thread, signals, begins: begins)
        try transcript.checkIsForgotten(session.wireName, resumed, in: store)
    }

    /// Asks the operator on the terminal; nil where nobody looks at it.
    private func prompt(on thread: LoopThread, _ signals: Signals) -> TerminalPrompt? {
        let isWatched =
            Terminal.isControlling(.error) && !Terminal.isUnattended && !verbosity.quiet
            && ((try? ConsoleTerminal())?.isInForeground ?? false)
        return isWatched ? TerminalPrompt(on: thread, signals, console: nil) : nil
    }

    private func hostConfiguration(
        _ folder: StateFolder, _ session: UUID, _ resumed: StoredSession?, _ proof: HostProof,
        _ found: FoundRecogniser?
    ) throws -> HostConfiguration {
        // A host's id need not be its own: nobody replaces a host.
        let device = (transcript.ephemeral ? nil : try? folder.claimDeviceID()) ?? .temporary()
        let deviceName = SafeText.name(
            name ?? HostNameResolver.ownName, bytes: Limits.deviceNameBytes)
        var configuration = HostConfiguration(
            eventName: SafeText.name(
                event ?? resumed?.record.eventName ?? "", bytes: Limits.eventNameBytes),
            deviceName: deviceName,
            deviceID: DeviceSecret(device.id).id(at: proof.security.fingerprint), session: session,
            security: proof.security)
        // Guests who wait for the host try the port first that they know.
        let usual = resumed?.record.port.map { PortChoice.preferred($0) } ?? .standard
        configuration.port = port.map { .number($0) } ?? usual
        let kept: HostConfiguration.Storage =
            resumed.map { .resumed($0) } ?? .new(SessionStore(in: folder))
        configuration.storage = transcript.ephemeral ? .none : kept
        configuration.otherLogs = transcript.ephemeral ? nil : SessionStore(in: folder)
        configuration.keep = transcript.keep?.duration
        let environment = ProcessInfo.processInfo.environment
        configuration.powerSupplies = environment["BEAMSCRIBE_POWER_SUPPLY"] ?? PowerSupply.folder
        // Where people talk nothing else need come in.
        let isTalkAll = !voice.captionVoice.isEmpty && inputOptions.run == nil
        if inputOptions.isKeyboard || isTalkAll { configuration.timing.stalledAfter = nil }
        configuration.addresses = bind.compactMap(IPAddress.init)
        inputOptions.apply(to: &configuration, found)
        configuration.wordMask = try maskedWords.mask(withEnglish: profanityFilter)
        configuration.glossary = try glossary.read()
        configuration.translations = translation.translations
        configuration.maximumGuests = maxGuests
        configuration.history = history
        configuration.announces = !noBonjour
        configuration.bluetooth = bluetooth.noBle ? .nothing : bleCaptions ? .captions : .beacon
        configuration.bluetoothBus = bluetooth.address
        configuration.copiesFinals = tee
        configuration.pageAdmission = relays.admission
        configuration.writers = contribution.admission
        configuration.refusedWriters = contribution.refused
        configuration.timing.gate = .seconds(saturating: gate)
        return configuration
    }

    static func start(_ host: Host) async throws {
        do {
            try await host.start()
        } catch .cannotListen(let error) {
            let advice =
                error.isAddressInUse
                ? "Another program has it; choose another with --port, or 0 for a free one."
                : "Choose another with --port or --bind."
            throw Failure(.system, "\(error). \(advice)")
        } catch .cannotOfferVoices(let error) {
            throw Failure(.usage, "\(error).")
        } catch .cannotReadInput(let error) {
            throw Failure(.unreadableInput, "\(error). Is the --input, --run or --floor right?")
        } catch .cannotResume(let error) {
            throw Failure(
                .inputOutput,
                "\(error). The session cannot go on without that, and no line was changed; `beamscribe "
                    + "host --event NAME --new` begins another.")
        }
    }

    // MARK: What is said while it runs

    /// Tells how each guest fares, whenever the operator asks by a signal; with --verbose now and
    /// then unasked.
    private func reportGuests(of host: Host, _ signals: Signals, _ logger: Logger) async {
        let asked = signals.reportRequests.listen()
        let unasked = Task {
            while verbosity.verbose, !Task.isCancelled {
                try await Task.sleep(for: Limits.guestTableInterval)
                await tellGuests(of: host, logger, as: .debug, skipsNobody: true)
            }
        }
        defer { unasked.cancel() }
        for await _ in asked { await tellGuests(of: host, logger, as: .notice) }
    }

    private func tellGuests(
        of host: Host, _ logger: Logger, as level: Logger.Level, skipsNobody: Bool = false
    ) async {
        let (guests, inputAge) = await host.guestReports()
        if !guests.isEmpty || !skipsNobody {
            GuestTable(guests: guests, inputAge: inputAge).log(to: logger, as: level)
        }
        if let phones = await host.view().phones, phones > 0 || !skipsNobody {
            logger.log(
                level: level, "Phones that read the page: \(phones)",
                metadata: ["event": "phones", "phones": "\(phones)"])
        }
    }

    private func report(
        _ host: Host, of configuration: HostConfiguration, _ proof: HostProof,
        _ console: ConsoleKind?, _ page: PageService?, _ search: RecogniserSearch?, fate: String
    ) async throws {
        let logger = verbosity.logger(logFormat)
        var reporter = HostReporter(
            HostReporter.Facts(
                logger: logger, event: configuration.eventName,
                session: transcript.ephemeral
                    ? nil : String(configuration.session.wireName.prefix(8)),
                readsPipe: inputOptions.isPipe, readsKeyboard: inputOptions.isKeyboard,
                label: contribution.name, runs: inputOptions.run != nil,
                choice: search?.choiceWords ?? [],
                console: console, endsWithInput: inputOptions.untilEof,
                fate: fate, isEverywhere: bind.isEmpty, wantsBluetooth: bleCaptions,
                listens: !voice.captionVoice.isEmpty, backbone: configuration.backbone?.name),
            SecurityReporter(proof: proof, format: logFormat, logger: logger),
            page.map { PageReporter($0, logFormat, logger: logger) })
        if contribution.other != nil { reporter.tellBeginning() }
        for await batch in host.news {
            batch.forEach { reporter.report($0) }
        }
        if let why = reporter.runFailure {
            throw Failure(
                .unreadableInput, "\(why). Is it installed, and does it run in a shell?")
        }
        if let error = reporter.inputFailure {
            throw Failure(
                .inputOutput,
                "\(error). Mend that, and go on in the session with "
                    + "\(contribution.other == nil ? "--resume last" : "the same command").")
        }
        if let why = reporter.storageFailure {
            throw Failure(
                .inputOutput,
                "the transcript was not saved to its end: \(why). \(reporter.unsaved) Guests who have "
                    + "all of it can keep it (s in their view, or join --save); \(StorageAdvice(why).next) "
                    + "before the next event.")
        }
    }

    /// Writes the finals to standard output.
    private func copyFinals(of host: Host) async -> FinalsCopy {
        var copy = FinalsCopy(session: transcript.ephemeral ? nil : host.session, isWanted: tee)
        for await batch in host.finals { copy.write(batch) }
        return copy
    }
}

extension StatusLog.Format: ExpressibleByArgument {}
