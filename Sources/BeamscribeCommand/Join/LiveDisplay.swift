import Beamscribe
import BeamscribeCore
import BeamscribeIO
import BeamscribeTerminal

/// Shows an event on a terminal, and does what its reader's keys ask for.
///
/// Invariant: what the view wrote last is what `status` and the events so far make of it; after
/// ``run(_:signals:)`` the terminal is as it was.
actor LiveDisplay {
    private let console: Console
    private let preferences: ReaderPreferences
    private let outputs: GuestOutputs
    private var view: ReaderView
    private var status = LiveStatus()
    /// What the reader was told of the host last.
    private var told: ConnectionSecurity?
    private var joinedAt: Double?
    private var logs = LogWords()
    /// When the guest was done.
    private var endedAt: Double?
    /// The files that the reader has saved lines to, and how many.
    private var copies: [(file: String, lines: Int)] = []
    private var isLeft = false
    /// Whether a shell is to have the terminal.
    private var isSuspended = false
    private var leaving: CheckedContinuation<Void, Never>?

    init(console: Console, preferences: ReaderPreferences, outputs: GuestOutputs) {
        self.console = console
        self.preferences = preferences
        self.outputs = outputs
        view = ReaderView(
            size: console.counting.size(), style: Console.style, settings: preferences.settings,
            showing: outputs.choice.logs
        ) { LocalTime($0).timeOfDay }
    }

    /// Shows until the user leaves, or the guest is done before it has joined. Whoever has joined
    /// has the lines to read, to search and to save until he leaves.
    func run(_ guest: Guest, signals: Signals) async -> GuestOutcome? {
        let tasks = listen(to: signals, for: guest)
        defer { tasks.forEach { $0.cancel() } }
        SuspendKey.disable()
        view.advance(to: Clock.wall)
        if let warning = preferences.warning { view.add(notice: warning) }
        draw()
        for await batch in guest.events { await show(batch) }
        let outcome = await guest.outcome
        endedAt = Clock.wall
        await outputs.finish(outcome)
        if let ending = outcome.flatMap(ReaderEnding.init), joinedAt != nil, await console.hasKeys {
            await untilLeft(ending)
        }
        await finish()
        return outcome
    }

    private func listen(to signals: Signals, for guest: Guest) -> [Task<Void, any Error>] {
        // From now on, and not from when a task begins: a terminal answers at once.
        let (keys, counts) = (console.keys.listen(), console.counting.changes.listen())
        let (changes, ending) = (signals.terminalChanges.listen(), signals.ending.listen())
        return [
            Task { for await key in keys { await pressed(key, guest) } },
            Task { for await signal in changes { await changed(signal) } },
            Task { for await _ in counts { recount() } },
            Task { for await _ in ending { await leave(guest) } },
            // What the status row says grows old by itself: "silent for 12 s".
            Task {
                while !Task.isCancelled {
                    try await Task.sleep(for: .seconds(1))
                    draw()
                }
            },
        ]
    }

    // MARK: Events

    private func show(_ batch: [GuestEvent]) async {
        let shown = await outputs.write(batch, showing: .screen)
        view.advance(to: Clock.wall)
        shown.forEach(take)
        draw()
    }

    private func take(_ event: GuestEvent) {
        status.take(event, at: Clock.wall)
        let isForeign = outputs.choice.isForeign(event)
        switch event {
        case .line, .partial, .gap, .withdrawn: take(event, of: nil, isForeign: isForeign)
        case .alert(_, let message): view.add(notice: message)
        case .begunAnew:
            view.beginAnew()
            view.add(notice: "The host has begun the event anew.")
        case .joined(let event):
            joinedAt = joinedAt ?? Clock.wall
            view.join(event.session, on: event.deviceName)
            logs.know(event)
            tellSecurity(of: event)
        case .turnedAway(let place, let refusal):
            view.add(notice: refusal.passedOver(at: place))
        case .inLog(let log, let event): take(event, of: log, isForeign: isForeign)
        case .log(let log, let standing):
            view.note(standing, of: log)
            let isRead = outputs.choice.includes(log)
            if let words = logs.words(for: log, standing, isRead: isRead, key: "l") {
                view.add(notice: words)
            }
        case .state(let state): LogStanding(state).map { view.note($0) }
        case .stillLost, .stats, .trouble, .isRead, .isPutOut: break
        }
    }

    /// The view gets what is said in all logs, and hides what its reader has not chosen.
    private func take(_ event: GuestEvent, of log: LogTitle?, isForeign: Bool) {
        switch event {
        case .line(let line): view.add(line, of: log, isForeign: isForeign)
        case .partial(let partial): view.show(partial, of: log, isForeign: isForeign)
        case .withdrawn(let from, let through):
            view.withdraw(from: from, through: through, of: log)
            if log == nil { view.add(notice: Self.withdrawal(from, through), of: nil) }
        case .gap(let from, let through):
            view.add(notice: LogWords.gap(from, through, in: log), of: log)
        default: break
        }
    }

    private static func withdrawal(_ from: Int, _ through: Int) -> String {
        from == through
            ? "The host has lost line \(from) when it went down; what follows has its number."
            : "The host has lost lines \(from) to \(through) when it went down; what follows has their "
                + "numbers."
    }

    /// A warning that has nothing to do with what is said.
    func warn(_ sentence: String) {
        view.add(notice: sentence)
        draw()
    }

    /// A host's key is news once, and a warning stays in sight.
    private func tellSecurity(of event: JoinedEvent) {
        guard SecurityWords.isNotable(event), event.security != told else { return }
        told = event.security
        view.add(notice: SecurityWords.sentence(event))
    }

    // MARK: Keys

    private func pressed(_ key: Key, _ guest: Guest) async {
        let before = view.settings
        view.advance(to: Clock.wall)
        switch view.handle(key) {
        case .leave?: return await leave(guest)
        case .suspend?: return await suspend()
        case .save?: save()
        case .keep(let settings)?: keep(settings, insteadOf: before)
        case nil: break
        }
        draw()
    }

    private func keep(_ settings: ReaderSettings, insteadOf old: ReaderSettings) {
        do throws(SettingsFile.Unusable) {
            try preferences.file.change(from: old, to: settings)
        } catch {
            view.tell("Changed, but not kept for the next time: \(error).")
        }
    }

    private func save() {
        let lines = view.lineCount
        guard lines > 0 else { return view.tell("There are no lines to save yet.") }
        do throws(SystemError) {
            let file = try TranscriptCopy.write(
                view.transcript, event: status.event, at: LocalTime(Clock.wall))
            copies.append((file, lines))
            view.tell("Saved \(plural(lines, "line")) to \(file)")
        } catch {
            view.tell("Nothing was saved: \(error).")
        }
    }

    private func leave(_ guest: Guest) async {
        isLeft = true
        leaving?.resume()
        leaving = nil
        await guest.stop()
    }

    private func untilLeft(_ ending: ReaderEnding) async {
        view.end(ending)
        draw()
        guard !isLeft else { return }
        await withCheckedContinuation { leaving = $0 }
    }

    // MARK: The terminal

    private func suspend() async {
        write(view.suspend())
        isSuspended = true
        await console.stop()
        SuspendKey.suspend()
        await console.start()
        SuspendKey.disable()
        isSuspended = false
        view.resize(console.counting.size())
        draw()
    }

    private func changed(_ signal: SignalSource.Signal) async {
        if signal == .continued {
            await console.resume()
            SuspendKey.disable()
            view.takeBack()
        }
        view.resize(console.counting.size())
        draw()
    }

    /// The terminal has said how it counts.
    private func recount() {
        view.resize(console.counting.size())
        draw()
    }

    private func finish() async {
        let saved = await outputs.saved?.path
        let farewell = joinedAt.map {
            Farewell.sentence(
                event: status.event, lines: view.lineCount, seconds: (endedAt ?? Clock.wall) - $0,
                file: saved, copies: copies)
        }
        write(view.finish(farewell: farewell))
    }

    private func draw() {
        guard !isSuspended else { return }
        let now = Clock.wall
        view.advance(to: now)
        let parts = status.parts(at: now, lines: view.lineCount, logs: view.chosenLogs)
        view.setStatus(left: status.left, right: parts)
        view.ask(console.counting.questions(console.counting.size()))
        write(view.render())
    }

    private func write(_ text: String) {
        // A terminal that is gone sends a hang-up, which ends the program.
        try? Terminal.write(text, to: .output)
    }
}

extension LogStanding {
    /// How the main log stands where a guest is in this state; nil where that is not known.
    fileprivate init?(_ state: GuestState) {
        switch state {
        case .live, .silent, .stalled: self = .live
        case .unheard, .reconnecting: self = .stale
        case .ended: self = .ended
        case .searching, .connecting, .syncing: return nil
        }
    }
}

extension ReaderEnding {
    /// Nil where a guest may go on with another host, or its user is asked something.
    fileprivate init?(_ outcome: GuestOutcome) {
        switch outcome {
        case .ended: self = .eventOver
        case .lost, .protocolViolation, .forked: self = .hostLost
        case .refused: self = .refused
        case .anotherSession: self = .anotherEvent
        case .noAnswer, .nothingProven, .distrusted, .anotherEvent: return nil
        }
    }
}
