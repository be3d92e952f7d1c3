import Beamscribe
import BeamscribeCore
import BeamscribeIO
import Logging

/// Shows an event as lines on standard output, and everything else on standard error.
final class LinePrinter {
    private var writer: EventWriter
    private let outputs: GuestOutputs
    private let logger: Logger
    private var isLost = false
    private var wasJoined = false

    init(_ format: TranscriptFormat, outputs: GuestOutputs, logger: Logger) {
        writer = EventWriter(format)
        self.outputs = outputs
        self.logger = logger
    }

    /// Prints until the guest is done. A reader that has gone ends the guest.
    func run(_ guest: Guest) async throws -> GuestOutcome? {
        for await batch in guest.events {
            do {
                try await outputs.write(batch)
            } catch {
                await guest.stop()
                throw error
            }
            // Whose lines these are is said before them, everything else after them.
            batch.filter(\.isJoined).forEach(tell)
            let text = writer.text(for: batch)
            do throws(SystemError) {
                if !text.isEmpty { try Terminal.write(text, to: .output) }
            } catch {
                await guest.stop()
                if error.isBrokenPipe { return .ended }
                throw Failure(.inputOutput, "\(error).")
            }
            batch.filter { !$0.isJoined }.forEach(tell)
        }
        let outcome = await guest.outcome
        await outputs.finish(outcome)
        return outcome
    }

    private func tell(_ event: GuestEvent) {
        switch event {
        case .joined(let event):
            // A connection that was back before anybody missed it is no news.
            let isNews = isLost || !wasJoined
            let again = wasJoined ? "Back in" : "Joined"
            (isLost, wasJoined) = (false, true)
            let way = event.transport == .bluetooth ? " over Bluetooth" : ""
            let lines = "\(event.history) line\(event.history == 1 ? "" : "s") so far"
            logger.log(
                level: isNews ? .info : .debug,
                "\(again) \"\(event.eventName)\" on \(event.deviceName)\(way) (\(lines)).")
            if isNews { tell(event.security) }
        case .stillLost(let loss):
            isLost = true
            logger.warning("\(StateWords.loss(loss)): \(loss.why); trying again.")
        case .alert(_, let message): logger.info("\(message)")
        case .gap(let from, let through):
            logger.warning("lines \(from) to \(through) are no longer at the host.")
        case .withdrawn(let from, let through):
            logger.warning(
                """
                the host has lost lines \(from) to \(through), which were shown here, when it went \
                down; what follows has their numbers.
                """)
        case .trouble(let what): if wasJoined { logger.debug("\(what); trying again.") }
        case .line, .partial, .state: break
        }
    }

    private func tell(_ security: ConnectionSecurity) {
        let isNotable = SecurityWords.isNotable(security)
        logger.log(level: isNotable ? .info : .debug, "\(SecurityWords.sentence(security))")
    }
}

extension GuestEvent {
    fileprivate var isJoined: Bool {
        if case .joined = self { return true }
        return false
    }
}
