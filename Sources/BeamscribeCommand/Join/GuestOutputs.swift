import BeamscribeCore

/// What a guest's captions go to beside the terminal or standard output, and what of them its
/// reader is shown.
struct GuestOutputs: Sendable {
    let saved: SavedTranscript?
    let sign: SignFile?
    let command: LineCommand?
    let services: [CaptionCourier]
    let choice: CaptionChoice
    let notices: Notices
    private let backlog: Backlog

    init(
        saved: SavedTranscript?, sign: SignFile?, command: LineCommand?,
        services: [CaptionCourier], choice: CaptionChoice, notices: Notices
    ) {
        (self.saved, self.sign, self.command) = (saved, sign, command)
        (self.services, self.choice, self.notices) = (services, choice, notices)
        backlog = Backlog(services.compactMap(\.earlier))
    }

    /// Nothing beside what is printed.
    static var none: GuestOutputs {
        GuestOutputs(
            saved: nil, sign: nil, command: nil, services: [], choice: CaptionChoice(),
            notices: Notices(isLive: false))
    }

    /// Where a guest is to begin.
    ///
    /// - Parameter start: where its reader wants it to, by what the file of `--save` has.
    func start(
        _ start: (Handshake.Resume?) -> (GuestSession.Start, resume: Handshake.Resume?)
    ) async -> (GuestSession.Start, Handshake.Resume?) {
        let wanted = start(await saved?.resume)
        return backlog.start(for: wanted.0, wanted.resume)
    }

    /// Whether what is there of an event can go on with a session: a file has no other's.
    func mayGoOn(with session: String) async -> Bool {
        let resume = await saved?.resume
        return resume.map { $0.session.lowercased() == session } ?? true
    }

    /// A host has another event than that which was to be gone on with.
    ///
    /// - Returns: whether nothing was joined yet, so that it may be the event that is wanted.
    func isOfAnotherEvent() async -> Bool {
        let isAnotherFile = await saved?.isOfAnotherEvent() ?? false
        return backlog.isOfAnotherEvent() || isAnotherFile
    }

    /// In which form the reader himself gets an event.
    enum Form {
        /// Each event by itself.
        case records
        /// A line of a translation stands for that which it translates.
        case lines
        /// On a screen, on which a line stands until its translation comes.
        case screen
    }

    /// Passes on what `events` bring. A file that is saved has the words that were said, everything
    /// else those that the reader wants to see.
    ///
    /// - Returns: what the reader is to be shown of it.
    @discardableResult
    func write(_ events: [GuestEvent], showing form: Form = .records) async -> [GuestEvent] {
        let wanted = choice.wanted(events)
        let sent = choice.named(choice.shown(wanted.lines))
        for service in services { service.take(sent) }
        let lines = backlog.asked(wanted.lines)
        await saved?.write(lines.filter(choice.isForFile))
        command?.take(choice.shown(lines))
        // One log alone needs no name.
        let named = choice.logs.isOne ? wanted.leading : wanted.lines
        sign?.take(choice.shown(backlog.asked(named)))
        return choice.shown(backlog.asked(wanted.events(in: form))) + notices.take()
    }

    /// The guest is done; its reader may still be there.
    func finish(_ outcome: GuestOutcome?) async {
        await saved?.finish(outcome)
        await sign?.close()
    }

    /// The program ends, whatever the reason.
    ///
    /// - Returns: what is to be said of a file that lacks lines.
    func close() async -> Failure? {
        await sign?.close()
        await command?.close()
        var failures = await withTaskGroup { group in
            for service in services { group.addTask { await service.close() } }
            return await group.reduce(into: [Failure]()) { all, failure in
                if let failure { all.append(failure) }
            }
        }
        if let failure = await saved?.close() { failures.append(failure) }
        notices.close()
        for failure in failures.dropLast() { say("warning: \(failure.message)") }
        return failures.last
    }
}

extension CaptionChoice.Wanted {
    fileprivate func events(in form: GuestOutputs.Form) -> [GuestEvent] {
        switch form {
        case .records: all
        case .lines: lines
        case .screen: screen
        }
    }
}
