import Beamscribe
import BeamscribeCore
import BeamscribeIO
import Logging

/// Shows an event as lines on standard output, and everything else on standard error.
final class LinePrinter {
    private var writer: EventWriter
    private let saving: SavedTranscript?
    private let logger: Logger
    private var isLost = false

    init(_ format: TranscriptFormat, saving: SavedTranscript?, logger: Logger) {
        writer = EventWriter(format)
        self.saving = saving
        self.logger = logger
    }

    /// Prints until the guest is done. A reader that has gone ends the guest.
    func run(_ guest: Guest) async throws -> GuestOutcome? {
        for await batch in guest.events {
            await saving?.write(batch)
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
        return await guest.outcome
    }

    private func tell(_ event: GuestEvent) {
        switch event {
        case .joined(let event, let device, _, let history):
            let again = isLost ? "Back in" : "Joined"
            isLost = false
            let lines = "\(history) line\(history == 1 ? "" : "s") so far"
            logger.info("\(again) \"\(event)\" on \(device) (\(lines)).")
        case .state(.reconnecting(let why)):
            if !isLost { logger.warning("\(why); trying again.") }
            isLost = true
        case .alert(_, let message): logger.info("\(message)")
        case .gap(let from, let through):
            logger.warning("lines \(from) to \(through) are no longer at the host.")
        case .trouble(let what): if isLost { logger.debug("\(what)") }
        case .line, .partial, .state: break
        }
    }
}

extension GuestEvent {
    fileprivate var isJoined: Bool {
        if case .joined = self { return true }
        return false
    }
}
