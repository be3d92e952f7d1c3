import Beamscribe
import BeamscribeCore
import BeamscribeIO
import FoundationEssentials
import Logging

/// What a host says while it runs.
extension HostCommand {
    /// Tells how each guest fares, whenever the operator asks by a signal; with --verbose now and
    /// then unasked.
    func reportGuests(of host: Host, _ signals: Signals, _ logger: Logger) async {
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
            GuestTable(guests, inputAge).log(to: logger, as: level)
        }
        if let phones = await host.view().phones, phones > 0 || !skipsNobody {
            logger.log(
                level: level, "Phones that read the page: \(phones)",
                metadata: ["event": "phones", "phones": "\(phones)"])
        }
    }

    func report(
        _ host: Host, of configuration: HostConfiguration, _ proof: HostProof,
        _ console: ConsoleKind?, _ page: PageService?
    ) async throws {
        var reporter = HostReporter(
            logger: verbosity.logger(logFormat), event: configuration.eventName,
            security: SecurityReporter(proof, logFormat, logger: verbosity.logger(logFormat)),
            resumeCommand: ephemeral ? nil : resumeCommand(configuration.session),
            readsPipe: inputOptions.isPipe,
            readsKeyboard: inputOptions.isKeyboard,
            console: console,
            page: page.map { PageReporter($0, logFormat, logger: verbosity.logger(logFormat)) },
            endsWithInput: inputOptions.untilEof)
        for await batch in host.news {
            batch.forEach { reporter.report($0) }
        }
        if let error = reporter.inputFailure {
            throw Failure(
                .inputOutput, "\(error). Mend that, and go on in the session with --resume last.")
        }
        if let why = reporter.storageFailure {
            throw Failure(
                .inputOutput,
                "the transcript was not saved to its end: \(why). Guests who have all of it can keep "
                    + "it; make room before the next event.")
        }
    }

    func resumeCommand(_ session: UUID) -> String {
        "beamscribe host --resume \(session.wireName.prefix(8))"
    }

    /// Writes the finals to standard output. A reader that has gone ends the copying and nothing
    /// else.
    func copyFinals(of host: Host) async {
        var isWanted = tee
        for await batch in host.finals where isWanted {
            let text = batch.map { caption in
                (caption.speaker.map { "\($0): " } ?? "") + caption.text + "\n"
            }
            do throws(SystemError) {
                try TerminalOwner.write(text.joined(), to: .output)
            } catch {
                isWanted = false
            }
        }
    }
}
