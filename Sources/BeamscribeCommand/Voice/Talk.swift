import ArgumentParser
import Beamscribe
import BeamscribeCore
import BeamscribeIO
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

    /// A host is not waited for longer than that where nobody looks.
    private static let patience: Duration = .seconds(10)

    init(
        _ configuration: IntercomConfiguration, _ options: TalkOptions, _ choice: EventOptions,
        _ security: JoinSecurityOptions, _ verbosity: Verbosity, reconnects: Bool, untilEof: Bool
    ) {
        self.configuration = configuration
        (self.options, self.choice, self.security) = (options, choice, security)
        (self.verbosity, self.reconnects, self.untilEof) = (verbosity, reconnects, untilEof)
    }

    func run() async throws {
        try await exiting {
            let thread = try LoopThread()
            let signals = Signals(on: thread)
            try await signals.start()
            let wanted = try wanted()
            let trust = try JoinSecurity(
                security, in: StateFolder(environment: ProcessInfo.processInfo.environment),
                prompt: TerminalPrompt(on: thread, signals, console: nil))
            let requests = try await TalkRequests(from: options.control, on: thread)
            let reporter = TalkReporter(
                options.format, options.stats, writesSound: options.output == "-", verbosity)
            let visit = Visit(
                event: choice.event, host: choice.host,
                searchTimeout: choice.searchTimeout
                    ?? (Terminal.isTerminal(.error) ? nil : Self.patience),
                start: .next, reconnects: reconnects, insecure: false,
                bluetooth: try BluetoothOption.parse(["--no-ble"]),
                logger: verbosity.logger(), format: nil, serving: nil,
                talk: { [untilEof] in
                    Talker(
                        try Self.intercom(wanted), reporter, requests, signals,
                        untilEof: untilEof)
                })
            let attendance = Attendance(
                visit: visit, preferences: nil, thread: thread, signals: signals, console: nil,
                trust: trust, outputs: .none)
            let ending = await Result { try await attendance.run() }
            await requests.close()
            try ending.get()
        }
    }

    /// What the intercom is to do. The code is taken out of the environment.
    private func wanted() throws -> IntercomConfiguration {
        var wanted = configuration
        wanted.output = options.output.map(RawSound.init(argument:))
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
    private let untilEof: Bool

    init(
        _ intercom: Intercom, _ reporter: TalkReporter, _ requests: TalkRequests,
        _ signals: Signals, untilEof: Bool
    ) {
        (self.intercom, self.reporter, self.untilEof) = (intercom, reporter, untilEof)
        (self.requests, self.signals) = (requests, signals)
    }

    /// Takes part until the event is over, or there is nothing more to be done.
    func run(_ guest: Guest) async throws -> GuestOutcome? {
        let asides = [
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
                for await line in requests.lines.listen() { await obey(line, guest) }
            },
        ]
        let captions = Task {
            for await batch in guest.events { batch.forEach { reporter.report($0) } }
        }
        var failure: Failure?
        for await batch in intercom.events {
            for event in batch {
                reporter.report(event)
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

    /// Does what another program has asked for.
    private func obey(_ line: String?, _ guest: Guest) async {
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
        case .quit: await guest.stop()
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
        case .inputEnded(let why?): Failure(.inputOutput, "\(why).")
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
