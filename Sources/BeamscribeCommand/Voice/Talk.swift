import ArgumentParser
import Beamscribe
import BeamscribeCore
import BeamscribeIO
import BeamscribeTerminal
import BeamscribeVoice
import FoundationEssentials

/// What `talk` and `listen` do: take part in an event for its voices alone.
struct Talk {
    private let configuration: IntercomConfiguration
    private let choice: EventOptions
    private let security: JoinSecurityOptions
    private let verbosity: Verbosity
    private let reconnects: Bool
    private let untilEof: Bool
    private let options: TalkOptions
    private let key: PushToTalkKey.Choice?
    /// Whether a screen has captions where nothing is said of them.
    private let showsCaptions: Bool

    /// A host is not waited for longer than that where nobody looks.
    private static let patience: Duration = .seconds(10)

    init(
        _ configuration: IntercomConfiguration, _ options: TalkOptions, _ choice: EventOptions,
        _ security: JoinSecurityOptions, _ verbosity: Verbosity, reconnects: Bool, untilEof: Bool,
        key: PushToTalkKey.Choice? = nil, showsCaptions: Bool = false
    ) {
        (self.configuration, self.key, self.showsCaptions) = (configuration, key, showsCaptions)
        (self.options, self.choice, self.security) = (options, choice, security)
        (self.verbosity, self.reconnects, self.untilEof) = (verbosity, reconnects, untilEof)
    }

    func run() async throws {
        try await exiting {
            let thread = try LoopThread()
            let signals = Signals(on: thread)
            try await signals.start()
            let wanted = try wanted()
            let console = takesKeys ? Console(on: thread) : nil
            await console?.start()
            let trust = try JoinSecurity(
                security, in: StateFolder(environment: ProcessInfo.processInfo.environment),
                prompt: TerminalPrompt(on: thread, signals, console: console))
            let requests = try await TalkRequests(from: options.control, on: thread) {
                [ending = signals.ending] in ending.send(.terminate)
            }
            let screen = console.map { console in
                TalkScreen(
                    console.counting, besides: besides, isPlain: options.plain || verbosity.quiet,
                    showsCaptions: options.captions ?? (showsCaptions && !options.plain))
            }
            let reporter = TalkReporter(
                options.format, options.stats, writesSound: options.output == "-", verbosity,
                on: screen, hint: hint)
            let exec = try exec(isDrawn: screen.map { !$0.isPlain } ?? false) {
                reporter.tellWarning($0)
            }
            let key = await PushToTalkKey(key, on: thread) { reporter.report($0) }
            var visit = Visit(
                event: choice.event, host: choice.host,
                searchTimeout: choice.searchTimeout
                    ?? (Terminal.isTerminal(.error) ? nil : Self.patience),
                start: .next, reconnects: reconnects, insecure: false,
                bluetooth: try BluetoothOption.parse(["--no-ble"]),
                logger: verbosity.logger(), format: nil, serving: nil,
                talk: { [untilEof] in
                    Talker(
                        try Self.intercom(wanted), reporter, requests, signals, key, exec,
                        untilEof: untilEof,
                        keys: console.flatMap { console in
                            screen.map { (console, $0) }
                        })
                })
            visit.displayName = options.name
            let attendance = Attendance(
                visit: visit, preferences: nil, thread: thread, signals: signals, console: nil,
                trust: trust, outputs: .none)
            let ending = await Result { try await attendance.run() }
            await requests.close()
            await key.close()
            await exec?.close()
            await console?.stop()
            try ending.get()
        }
    }

    /// Whether keys are taken.
    private var takesKeys: Bool {
        options.takesKeys(besides: configuration.input == .raw(.standard) ? "-" : nil)
    }

    /// What runs the command of `--exec`; nil for none.
    ///
    /// - Parameter isDrawn: whether there is a screen that what the command says would be written over.
    private func exec(
        isDrawn: Bool, _ tell: @escaping @Sendable (String) -> Void
    ) throws(SystemError) -> TalkExec? {
        guard let exec = options.exec else { return nil }
        var command = ShellCommand(exec)
        command.isHeard = !isDrawn
        return try TalkExec(command, on: configuration.session.channel, tell: tell)
    }

    /// How a talk begins, where no screen says so.
    private var hint: String? {
        let session = configuration.session
        guard session.mode == .pushToTalk, session.talksOn != nil else { return nil }
        if takesKeys { return options.plain ? "SPACE begins a talk and ends it, q ends." : nil }
        if key != nil { return "Nobody hears you before the key of --ptt-key is held." }
        return
            "Nobody hears you before a talk begins: by `kill -USR2 \(ProcessInfo.processInfo.processIdentifier)`, or by --control."
    }

    /// What is heard besides the own channel.
    private var besides: [String] {
        configuration.session.hears.keys.filter { $0 != configuration.session.channel }.sorted()
    }

    /// What the intercom is to do. The code is taken out of the environment.
    private func wanted() throws -> IntercomConfiguration {
        var wanted = configuration
        wanted.rate = options.rate
        wanted.crewCode = try GivenCode.takeForCrew(option: options.crewCode)
        return wanted
    }

    private static func intercom(_ configuration: IntercomConfiguration) throws -> Intercom {
        do throws(IntercomError) {
            return try Intercom(configuration)
        } catch {
            throw Failure(.system, "\(error).")
        }
    }
}

/// Somebody on an event's channels, and what the user is told of it.
final class Talker: Sendable {
    let intercom: Intercom
    private let reporter: TalkReporter
    private let requests: TalkRequests
    private let signals: Signals
    private let key: PushToTalkKey
    private let exec: TalkExec?
    private let untilEof: Bool
    private let keys: (console: Console, screen: TalkScreen)?

    /// How often the screen shows how things stand.
    private static let pause: Duration = .milliseconds(200)

    /// - Parameter keys: where keys are taken, and what they are shown on; nil for nowhere.
    init(
        _ intercom: Intercom, _ reporter: TalkReporter, _ requests: TalkRequests,
        _ signals: Signals, _ key: PushToTalkKey, _ exec: TalkExec?, untilEof: Bool,
        keys: (console: Console, screen: TalkScreen)?
    ) {
        (self.intercom, self.reporter, self.untilEof) = (intercom, reporter, untilEof)
        (self.requests, self.signals, self.key, self.keys) = (requests, signals, key, keys)
        self.exec = exec
    }

    /// Takes part until the event is over, or there is nothing more to be done.
    func run(_ guest: Guest) async throws -> GuestOutcome? {
        defer { keys?.screen.end() }
        let asides =
            screenTasks(guest) + [
                Task { await reporter.tellStatistics(of: intercom) },
                Task {
                    for await _ in signals.reportRequests.listen() {
                        reporter.tellAll(await intercom.others)
                    }
                },
                Task {
                    for await _ in signals.talkRequests.listen() { await intercom.toggleTalking() }
                },
                Task {
                    for await isDown in key.presses.listen() { await intercom.setKey(down: isDown) }
                },
                Task {
                    for await line in requests.lines.listen() { await obey(line) }
                },
            ]
        let captions = Task {
            for await batch in guest.events {
                batch.forEach { reporter.report($0) }
                for case .joined(let joined) in batch { exec?.setEvent(joined.eventName) }
                keys?.screen.take(batch)
            }
        }
        var failure: Failure?
        for await batch in intercom.events {
            for event in batch {
                reporter.report(event)
                exec?.take(event)
                failure = failure ?? Self.failure(for: event)
                let isDone = if case .inputEnded = event { untilEof } else { false }
                if failure != nil || isDone { await guest.stop() }
            }
        }
        asides.forEach { $0.cancel() }
        await captions.value
        if let failure { throw failure }
        return await guest.outcome
    }

    // MARK: The screen

    private func screenTasks(_ guest: Guest) -> [Task<Void, Never>] {
        guard let (console, screen) = keys else { return [] }
        let (pressed, counts) = (console.keys.listen(), console.counting.changes.listen())
        return [
            Task {
                while !Task.isCancelled {
                    await show(on: screen)
                    try? await Task.sleep(for: Self.pause)
                }
            },
            Task {
                for await key in pressed {
                    if let action = screen.handle(key) { await perform(action, screen, guest) }
                    await show(on: screen)
                }
            },
            Task {
                for await _ in signals.terminalChanges.listen() {
                    await console.resume()
                    screen.resize()
                }
            },
            Task { for await _ in counts { screen.resize() } },
        ]
    }

    private func show(on screen: TalkScreen) async {
        screen.show(await intercom.state, await intercom.others, await intercom.devices)
    }

    private func perform(_ action: TalkAction, _ screen: TalkScreen, _ guest: Guest) async {
        switch action {
        case .key(let isDown): await intercom.setKey(down: isDown)
        case .toggle: await intercom.toggleTalking()
        case .mute: await intercom.setTalking(false)
        case .volume(let name, let decibels):
            _ = await intercom.setVolume(of: name, decibels: screen.raise(name, by: decibels))
        case .silence(let name):
            _ = await intercom.setMuted(screen.toggleSilence(of: name), name: name)
        case .channel: await goOn()
        case .devices: screen.deviceLines.forEach(reporter.tellNotice)
        case .use(let chosen):
            if let device = screen.device(chosen) { await intercom.use(device) }
        case .quit: await guest.stop()
        }
    }

    /// Goes to the channel behind the own one, of those that the host has.
    private func goOn() async {
        let (channels, own) = (await intercom.channels, await intercom.state.channel)
        let place = channels.firstIndex { $0 == own } ?? -1
        guard let next = (channels[(place + 1)...] + channels[..<max(0, place)]).first else {
            return reporter.tellNotice("There is no other channel for you.")
        }
        await intercom.move(to: next)
    }

    // MARK: What was asked for

    /// Does what another program has asked for.
    private func obey(_ line: String?) async {
        guard let line, let request = TalkRequest(line: line) else {
            return reporter.tellOfUnknown(line)
        }
        switch request {
        case .talk(.toggle): await intercom.toggleTalking()
        case .talk(let wanted): await intercom.setTalking(wanted == .on)
        case .mute(let name, let isMuted):
            if await !intercom.setMuted(isMuted, name: name) { reporter.tellOfNobody(name) }
        case .volume(let name, let decibels):
            if await !intercom.setVolume(of: name, decibels: decibels) {
                reporter.tellOfNobody(name)
            }
        case .channel(let name):
            if await intercom.channels.contains(name) {
                await intercom.move(to: name)
            } else {
                reporter.tellOfNoChannel(name)
            }
        // That was heard before.
        case .quit: break
        }
    }

    /// Why there is nothing more to be done; nil where there is.
    private static func failure(for event: IntercomEvent) -> Failure? {
        switch event {
        case .wrongCode: Failure(.refused, "the crew's code is wrong: ask whoever runs the host.")
        case .noCode:
            Failure(.refused, "the host has no code for a crew: join without one.")
        case .session(.noVoices):
            Failure(.noHost, "the host offers no voices: it is started with --voice.")
        case .session(.refused(let reason)): failure(for: reason)
        case .inputUnusable(let why):
            Failure(
                .unreadableInput,
                "the input cannot be said: \(why). --input takes one channel of 16 bits, raw or in a WAV file; sox makes it: `sox IN -r 48000 -c 1 -b 16 OUT.wav`."
            )
        case .inputEnded(let why?): Failure(.inputOutput, "\(why).")
        case .device(.refused(let why)): .noSound(why)
        case .outputGone(let why): Failure(.inputOutput, "\(why).")
        default: nil
        }
    }

    private static func failure(for reason: VoiceRefused.Reason?) -> Failure {
        switch reason {
        case .full:
            Failure(
                .refused,
                "as many are there as the host lets in; --max-listeners there lets in more.")
        case .noRight:
            Failure(
                .refused,
                "there is no right to do that on this channel; the crew gives its code in \(GivenCode.crewVariable)."
            )
        case .noChannel:
            Failure(.noHost, "the host has no such channel; --channel there makes one.")
        case .wrongCode: Failure(.refused, "the crew's code is wrong.")
        case .off, nil: Failure(.refused, "the host takes no voice from here.")
        }
    }
}

extension Failure {
    /// There is no microphone or no loudspeaker: why.
    static func noSound(_ why: String) -> Failure {
        Failure(
            .system,
            "no sound: \(why). `beamscribe talk --devices` lists what there is; PipeWire (packages pipewire and wireplumber) gives what is lacking, and --input and --output need no devices."
        )
    }
}
