import ArgumentParser
import BeamscribeCore
import BeamscribeIO

/// Where a host's transcript is kept, and whether it goes on with one that is there.
struct HostSessionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Go on in a session of `beamscribe sessions`, or in the last one (of the same name, if --event is given).",
            valueName: "session|last"),
        completion: Completions.sessions)
    var resume: String?

    @Flag(help: "Begin another event, even if one of this name was interrupted within the hour.")
    var new = false

    @Flag(help: "Write nothing to the disk.")
    var ephemeral = false

    @Option(
        help: ArgumentHelp(
            "Delete the transcript by itself: so long after the event (30d, 2w, 12h), or 0 at its end (default: never).",
            valueName: "age"))
    var keep: Age?

    /// Deletes what was to be kept no longer than until now.
    func forgetExpired(in store: SessionStore) {
        if !ephemeral { store.forgetExpired() }
    }

    /// What was to be deleted at the event's end is gone.
    func checkIsForgotten(
        _ session: String?, _ resumed: StoredSession?, in store: SessionStore
    ) throws {
        guard keep?.duration == .zero || keep == nil && resumed?.record.keep == 0, let session,
            let left = try? store.list().first(where: { $0.record.session == session }),
            left.record.state == .ended
        else { return }
        throw Failure(
            .inputOutput,
            "the transcript could not be deleted; `beamscribe sessions delete "
                + "\(session.prefix(8))` tries again.")
    }

    /// How long the transcript is there, for the operator.
    func fate(of resumed: StoredSession?) -> String {
        if ephemeral { return "Nothing of it is kept (--ephemeral)." }
        let seconds = keep?.duration.seconds ?? resumed?.record.keep
        switch seconds {
        case nil:
            return "The transcript is kept on this machine until `beamscribe sessions delete`."
        case 0?: return "The transcript is deleted when the event has ended."
        case let seconds?:
            let age = keep ?? Age(seconds: Int(saturating: seconds))
            return "The transcript is kept on this machine for \(age.words) after the event."
        }
    }

    func validate() throws {
        try check(
            !(ephemeral && resume != nil),
            "--ephemeral and --resume exclude each other: the one writes nothing, the other goes on in a file."
        )
        try check(
            !(ephemeral && keep != nil),
            "--ephemeral and --keep exclude each other: the one writes nothing that could be kept.")
        try check(
            !(new && resume != nil),
            "--new and --resume exclude each other: the one begins an event, the other goes on in one."
        )
    }

    /// Opens the log of somebody else's event in which the same command goes on; nil for a new one.
    func contribution(
        _ log: SessionRecord.Contribution, by writer: Fingerprint, in store: SessionStore
    ) throws -> StoredSession? {
        guard !new, !ephemeral, let entries = try? store.list() else { return nil }
        let mine = entries.filter { entry in
            entry.record.contribution?.event == log.event
                && entry.record.contribution?.label == log.label
                && entry.record.contribution?.standsInFor == log.standsInFor
                && entry.record.contribution?.of == log.of
                // A translation keeps its language.
                && (log.of == nil || entry.record.contribution?.lang == log.lang)
                && entry.record.writer == writer
                && entry.record.state != .ended
        }
        guard let last = mine.max(by: { $0.touched < $1.touched }) else { return nil }
        guard !last.isInUse else {
            throw Failure(
                .cannotMakeFile,
                "\"\(SafeText.line(log.label))\" is being captioned by another program on this "
                    + "machine. End that one first, or give --new for a log beside it.")
        }
        do throws(SessionStoreError) {
            return try store.open(last.record.session)
        } catch {
            return nil
        }
    }

    /// What a host begins with.
    enum Beginning {
        case new
        case resumed(StoredSession)
        /// The operator has had enough.
        case left
    }

    /// Opens what is to go on: what was asked for, or the event of this name that was interrupted.
    ///
    /// - Parameters:
    ///   - hasCode: whether a code was given, or one is to be made up.
    ///   - prompt: asks the operator; nil where nobody is there who could be asked.
    func begin(
        _ event: String?, hasCode: Bool, in store: SessionStore, asking prompt: TerminalPrompt?
    ) async throws -> Beginning {
        if let resume {
            return .resumed(
                try SessionChoice(wanted: resume, event: event, isOwn: true).open(in: store))
        }
        guard !new, !ephemeral, let event, let entries = try? store.list(),
            let interrupted = InterruptedEvent(named: event, among: entries, now: Clock.wall)
        else { return .new }
        guard hasCode || !interrupted.hasCode else {
            say(interrupted.refusal)
            return .new
        }
        switch await prompt?.choose(interrupted.question, within: Limits.resumeQuestion) {
        case .no?: return .new
        case .left?: return .left
        case .yes?: break
        case nil: say(interrupted.statement)
        }
        return open(interrupted, in: store)
    }

    /// One that cannot be used any more keeps nobody from hosting.
    private func open(_ interrupted: InterruptedEvent, in store: SessionStore) -> Beginning {
        do {
            return .resumed(try SessionChoice(wanted: interrupted.session).open(in: store))
        } catch {
            let why = (error as? Failure)?.message ?? "\(error)"
            say("warning: it cannot go on, and another event begins: \(why)")
            return .new
        }
    }
}
