import Beamscribe
import BeamscribeCore
import BeamscribeIO
import Logging

/// Shows an event as lines on standard output, and everything else on standard error.
final class LinePrinter {
    /// Nil where no line is printed.
    private var writer: EventWriter?
    private let form: GuestOutputs.Form
    private let outputs: GuestOutputs
    private let announcer: Announcer
    private var isLost = false
    private var wasJoined = false
    private var isUnheard = false
    /// The machine that has begun the event, where that goes on without it; nil where it does not.
    private var founder: String?
    /// Whether another machine than its host serves the event.
    private var isHeld = false
    private var logs = LogWords()
    private var hasToldLeftOut = false

    /// - Parameters:
    ///   - format: nil where no line is printed.
    ///   - isOfAll: whether nobody's log is the main one.
    init(
        _ format: TranscriptFormat?, isOfAll: Bool = false, outputs: GuestOutputs,
        announcer: Announcer
    ) {
        let subtitles: EventWriter.Subtitles =
            outputs.choice.logs.isOne ? .ofOneLog : isOfAll ? .ofAllLogs : .ofMainLog
        writer = format.map { EventWriter($0, subtitles: subtitles) }
        form = format == .jsonl ? .records : .lines
        self.outputs = outputs
        self.announcer = announcer
    }

    /// Prints until the guest is done. A reader that has gone ends the guest.
    func run(_ guest: Guest) async throws -> GuestOutcome? {
        guard try await run(guest.events, stop: { await guest.stop() }) else { return .ended }
        let outcome = await guest.outcome
        await outputs.finish(outcome)
        return outcome
    }

    /// Prints what comes until there is no more.
    ///
    /// - Parameter stop: ends it, as nobody reads.
    /// - Returns: false where nobody reads.
    @discardableResult
    func run(
        _ events: EventBuffer<GuestEvent>, stop: () async -> Void
    ) async throws -> Bool {
        for await batch in events {
            let shown = await outputs.write(batch, showing: form)
            // Whose lines these are is said before them, everything else after them.
            shown.filter(\.isJoined).forEach(tell)
            do throws(SystemError) {
                if let text = writer?.text(for: shown) {
                    try TerminalOwner.write(text, to: .output)
                }
            } catch {
                await stop()
                if error.isBrokenPipe { return false }
                throw Failure(cannotWrite: error)
            }
            shown.filter { !$0.isJoined }.forEach(tell)
        }
        return true
    }

    /// A host that is gone for those who read from elsewhere is told once.
    private func tell(_ state: GuestState) {
        guard case .unheard = state else { return isUnheard = false }
        if !isUnheard, let founder {
            announcer.tell(
                .info,
                "Nothing is heard of the log that began the event, on \(founder); the event "
                    + "goes on.")
        } else if !isUnheard {
            announcer.tell(
                .warning,
                StateWords.words(for: state) + "; what it says now is not here.")
        }
        isUnheard = true
    }

    private func tell(_ event: GuestEvent) {
        switch event {
        // Who serves it says what was kept, and that nobody has answered yet.
        case .joined(let event) where event.isKept: break
        case .joined(let event):
            // A connection that was back before anybody missed it is no news.
            let isNews = isLost || !wasJoined
            let again = wasJoined ? "Back in" : "Joined"
            (isLost, wasJoined, isHeld) = (false, true, event.holder != nil)
            founder = event.isOpen ? event.deviceName : nil
            logs.know(event)
            let via = event.holder.map { ", through \($0)" } ?? ""
            let way = (event.transport == .bluetooth ? " over Bluetooth" : "") + via
            let lines = plural(event.history, "line") + " so far"
            announcer.tell(
                isNews ? .info : .debug,
                "\(again) \"\(event.eventName)\" on \(event.deviceName)\(way) (\(lines)).")
            guard isNews else { return }
            announcer.tell(
                SecurityWords.isNotable(event) ? .info : .debug, SecurityWords.sentence(event))
        case .stillLost(let loss):
            isLost = true
            announcer.tell(.warning, "\(StateWords.loss(loss)): \(loss.why); trying again.")
        case .alert(_, let message): announcer.tell(.info, message)
        case .gap(let from, let through) where isHeld:
            announcer.tell(.warning, LogWords.gap(from, through, in: nil))
        case .gap(let from, let through):
            announcer.tell(.warning, LogWords.gapAtHost(from, through))
        case .withdrawn(let from, let through):
            announcer.tell(.warning, LogWords.withdrawal(from, through, in: nil, fate))
        case .begunAnew:
            announcer.tell(
                .info, "The host has begun the event anew; its lines follow, numbered from 1.")
        case .turnedAway(let place, let refusal):
            announcer.tell(.warning, refusal.passedOver(at: place))
        case .trouble(let what):
            if wasJoined { announcer.tell(.debug, "\(what); trying again.") }
        case .state(let state): tell(state)
        case .log(let log, let standing):
            let isRead = outputs.choice.includes(log)
            if let words = logs.words(for: log, standing, isRead: isRead) {
                announcer.tell(.info, words)
            }
            if isRead, log.translates == nil { tellIfLeftOut(log) }
        case .inLog(let log, .gap(let from, let through)):
            announcer.tell(.warning, LogWords.gap(from, through, in: log))
        case .inLog(let log, .withdrawn(let from, let through)):
            announcer.tell(.warning, LogWords.withdrawal(from, through, in: log, fate))
        case .inLog, .isRead, .isPutOut: break
        case .line, .partial, .stats: break
        }
    }

    /// Said once: it holds of all other logs.
    private func tellIfLeftOut(_ log: LogTitle) {
        guard !hasToldLeftOut, writer?.leavesOut(log) == true else { return }
        hasToldLeftOut = true
        announcer.tell(
            .warning,
            "Subtitles on standard output are the host's own captions: those of \"\(log.label)\" are not "
                + "among them. --save FILE.srt gets all of them, and --log \"\(log.label)\" that log alone."
        )
    }

    /// The fate of lines before they were withdrawn. A relay prints none.
    private func fate(_ isOne: Bool) -> String {
        "\(isOne ? "was" : "were") \(writer == nil ? "served" : "shown") here"
    }
}

extension GuestEvent {
    fileprivate var isJoined: Bool {
        if case .joined = self { return true }
        return false
    }
}
