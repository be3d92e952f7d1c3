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
            var configuration = configuration
            configuration.output = options.output.map(RawSound.init(argument:))
            configuration.rate = options.rate
            configuration.crewCode = try GivenCode.takeForCrew(option: options.crewCode)
            let trust = try JoinSecurity(
                security, in: StateFolder(environment: ProcessInfo.processInfo.environment),
                prompt: TerminalPrompt(on: thread, signals, console: nil))
            let reporter = TalkReporter(
                options.format, options.stats, writesSound: options.output == "-", verbosity)
            let visit = Visit(
                event: choice.event, host: choice.host,
                searchTimeout: choice.searchTimeout
                    ?? (Terminal.isTerminal(.error) ? nil : Self.patience),
                start: .next, reconnects: reconnects, insecure: false,
                bluetooth: try BluetoothOption.parse(["--no-ble"]),
                logger: verbosity.logger(), format: nil, serving: nil,
                talk: { [configuration, untilEof] in
                    Talker(try Self.intercom(configuration), reporter, untilEof: untilEof)
                })
            try await Attendance(
                visit: visit, preferences: nil, thread: thread, signals: signals, console: nil,
                trust: trust, outputs: .none
            ).run()
        }
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
    private let untilEof: Bool

    init(_ intercom: Intercom, _ reporter: TalkReporter, untilEof: Bool) {
        (self.intercom, self.reporter, self.untilEof) = (intercom, reporter, untilEof)
    }

    /// Takes part until the event is over, or there is nothing more to be done.
    func run(_ guest: Guest) async throws -> GuestOutcome? {
        let reporting = Task { await reporter.tellStatistics(of: intercom) }
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
        reporting.cancel()
        await captions.value
        if let failure { throw failure }
        return await guest.outcome
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
