import Beamscribe
import BeamscribeCore
import BeamscribeIO
import Logging
import Synchronization

/// Captions in somebody else's event: a host whose log goes there through a guest of it.
///
/// Invariant: the host is begun once, when the event is known, and the guest leaves after it.
final class Contributor: Sendable {
    /// Runs the host until it is done.
    ///
    /// The second is the id of the log that is translated; nil for captions.
    typealias Hosting =
        @Sendable (JoinedEvent, String?, Guest, Contributor) async throws -> Void

    private struct State {
        var host: Host?
        /// Whether there is nothing to be captioned any more.
        var isOver = false
        /// Whether a try to get to the event was in vain.
        var hasFailed = false
        /// Whether the log was ever read.
        var wasRead = false
        var event = ""
    }

    private let label: String
    private let wanted: String
    /// Finds the log that is translated; nil for captions.
    private let original: LogLookout?
    /// Whether it captions only while nobody else does.
    private let standsBy: Bool
    /// Who signs the captions.
    private let writer: Fingerprint
    private let logger: Logger
    private let hosting: Hosting
    private let state = Mutex(State())

    /// - Parameters:
    ///   - label: what the log is called.
    ///   - wanted: the event's name, or a beginning of it.
    ///   - original: the name of the event's log that is translated; nil for captions.
    init(
        of label: String, into wanted: String, translating original: String?, standsBy: Bool,
        by writer: Fingerprint, logger: Logger, hosting: @escaping Hosting
    ) {
        self.original = original.map { LogLookout(for: $0) }
        (self.label, self.wanted, self.standsBy, self.writer) = (label, wanted, standsBy, writer)
        (self.logger, self.hosting) = (logger, hosting)
    }

    /// This host, which has not started yet, writes the log.
    ///
    /// - Throws: where that is not to be, or nobody would take it.
    func begins(_ host: Host, through guest: Guest) async throws {
        guard await host.contribute(through: guest) else {
            throw Failure(
                .cannotMakeFile,
                "\"\(label)\" cannot be captioned from here, as nothing can be signed: the key of this "
                    + "machine is none of P-256, or what was said before is damaged (--new).")
        }
        let isWanted = state.withLock { state in
            if !state.isOver { state.host = host }
            return !state.isOver
        }
        guard isWanted else {
            throw Failure(.hostLost, "the event was left before there were captions.")
        }
    }

    /// The operator has had enough. Where there is a host it goes first, and hears of that itself.
    func leave(_ guest: Guest) async {
        let isHosting = state.withLock { state in
            state.isOver = true
            return state.host != nil
        }
        if !isHosting { await guest.stop() }
    }

    /// Takes part until the host is done, or the event.
    func run(_ guest: Guest) async throws -> GuestOutcome? {
        var work: Task<Void, any Error>?
        var logs = LogWords(forWriter: true)
        for await batch in guest.events {
            for event in batch {
                if case .joined(let joined) = event, work == nil {
                    work = Task { try await self.host(joined, guest) }
                }
                if case .log(let log, _) = event { original?.note(log) }
                tell(event, &logs)
            }
        }
        let host = state.withLock { state in
            state.isOver = true
            return state.host
        }
        await host?.stop()
        try await work?.value
        return await guest.outcome
    }

    private func host(_ event: JoinedEvent, _ guest: Guest) async throws {
        state.withLock { $0.event = event.eventName }
        let outcome = await Result {
            try check(event)
            let translated = try await original?.find(in: event)
            let what = "\"\(label)\" in \"\(event.eventName)\" on \(event.deviceName)"
            let work =
                standsBy
                ? "Standing by as"
                : translated.map { "Translating \"\(SafeText.quoted($0.label))\" as" }
                    ?? "Captioning"
            logger.notice("\(work) \(what), once its host lets that in.")
            try await hosting(event, translated?.session, guest, self)
            try await deliver(guest)
        }
        await guest.stop()
        try outcome.get()
    }

    private func check(_ event: JoinedEvent) throws {
        guard EventName.matches(event.eventName, wanted: wanted) else {
            throw Failure(
                .refused,
                "the event there is \"\(event.eventName)\", not \"\(SafeText.line(wanted))\".")
        }
        guard event.isSigned else {
            throw Failure(
                .protocolViolation,
                "\"\(event.eventName)\" is not signed by its host, so that nobody else can caption in "
                    + "it: its host is an older version, was started with --insecure, or goes on with "
                    + "a log that its disk has damaged.")
        }
    }

    /// The rest is to get there before the guest leaves.
    private func deliver(_ guest: Guest) async throws {
        if await guest.sendOffered() { return }
        // Who never had to caption has nothing to bring, and who reads from here has it.
        if standsBy { return await tellOfRest(guest) }
        let (event, wasRead) = state.withLock { ($0.event, $0.wasRead) }
        if await guest.outcome == .ended, wasRead {
            guard let lines = await guest.offeredNotTaken else { return }
            throw Failure(
                .hostLost,
                "\"\(event)\" has ended before \(MissingLines.list([lines]).list) of \"\(label)\" got there; "
                    + "they are on this machine only (`beamscribe sessions`).")
        }
        guard wasRead else {
            throw Failure(
                .refused,
                "the host of \"\(event)\" did not let \"\(label)\" in; the captions are on this "
                    + "machine only (`beamscribe sessions`). --admit at the host lets writers in.")
        }
        throw Failure(
            .hostLost,
            "the last captions did not get to \"\(event)\"; they are on this machine, and the same "
                + "command takes them there.")
    }

    private func tellOfRest(_ guest: Guest) async {
        guard let host = state.withLock({ $0.host }), await host.view().lastSeq > 0,
            await guest.outcome != .ended
        else { return }
        logger.notice(
            "What was captioned here is on this machine; where others lack some, the same command takes it there."
        )
    }

    // MARK: What is said

    private func tell(_ event: GuestEvent, _ logs: inout LogWords) {
        switch event {
        case .isRead:
            let isFirst = state.withLock { state in
                defer { state.wasRead = true }
                return !state.wasRead
            }
            logger.notice(
                isFirst
                    ? "Let in: \"\(label)\" is read by everybody in the event."
                    : "\"\(label)\" is read again.")
        case .isPutOut(through: let last?):
            logger.warning(
                "The host has put \"\(label)\" out of the event after line \(last). What is said is kept on this machine only (`beamscribe sessions`)."
            )
        case .isPutOut(through: nil): logger.notice("The host has let \"\(label)\" in again.")
        case .log(let log, .forked) where log.writer == writer:
            logger.warning(
                "Somebody else captions \"\(label)\" with this machine's key, as where its folder was copied: readers show no more of either. --new begins another log."
            )
        case .stillLost(let loss):
            logger.warning(
                "\(StateWords.loss(loss)): \(loss.why). What is said is kept, and goes there once it is back."
            )
        case .turnedAway(let place, let refusal):
            logger.warning("\(refusal.passedOver(at: place))")
        case .alert(_, let message): logger.info("The event's host: \(message)")
        case .log(let log, let standing) where log.writer != writer:
            if let words = logs.words(for: log, standing) { logger.info("\(words)") }
        case .trouble(let what):
            let isFirst = state.withLock { state in
                defer { state.hasFailed = true }
                return !state.hasFailed && state.event.isEmpty
            }
            logger.log(level: isFirst ? .notice : .debug, "\(what); trying again.")
        default: break
        }
    }
}
