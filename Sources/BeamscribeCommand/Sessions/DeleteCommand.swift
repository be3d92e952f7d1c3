import ArgumentParser
import BeamscribeCore
import BeamscribeIO
import FoundationEssentials

/// Forgets events: their words, with all copies that the program has of them, and what is known of
/// them.
struct DeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Forget events that this machine has kept.",
        discussion: """
            Examples:
              beamscribe sessions delete last
              beamscribe sessions delete --older-than 30d --yes
            What is deleted is gone: nothing can bring it back. It asks before. `host --keep 30d` \
            forgets an event by itself.
            """,
        version: Version.current)

    @Argument(
        help: ArgumentHelp(
            "A session of `beamscribe sessions`, or the last one.", valueName: "session|last"),
        completion: Completions.sessions)
    var session: String?

    @Option(
        help: ArgumentHelp(
            "All of which nothing was heard for so long: 30d, 2w, 12h.", valueName: "age"))
    var olderThan: Age?

    @Flag(help: "All that there are.")
    var all = false

    @Flag(help: "Do not ask.")
    var yes = false

    func validate() throws {
        let ways = [session != nil, olderThan != nil, all].count { $0 }
        try check(
            ways > 0, "say which: a session of `beamscribe sessions`, --older-than AGE, or --all.")
        try check(ways == 1, "give one of these: a session, --older-than, or --all.")
    }

    func run() async throws {
        try await exiting {
            let folder = StateFolder(environment: ProcessInfo.processInfo.environment)
            let store = SessionStore(in: folder)
            let damaged = namedRemnant(in: store)
            let entries = damaged == nil ? try chosenWithOthers(among: try store.list()) : []
            let remnants = all ? store.remnants() : [damaged].compactMap(\.self)
            guard !entries.isEmpty || !remnants.isEmpty else {
                return say("There is nothing to delete.")
            }
            let question = DeleteQuestion(
                entries.compactMap { SessionSummary($0, in: store) }, damaged: remnants.count,
                now: Clock.wall)
            guard try await isSure(question) else { return say("Nothing was deleted.") }
            for id in entries.map(\.record.session) + remnants { try delete(id, from: store) }
            say("Deleted \(question.what).")
            // One of these may belong to what was deleted: nobody can tell.
            DamagedSessionWords.warn(of: store)
        }
    }

    /// The session that was named, where its record cannot be read.
    private func namedRemnant(in store: SessionStore) -> String? {
        guard let beginning = session?.lowercased(), !beginning.isEmpty else { return nil }
        let all = (try? store.list())?.map(\.record.session) ?? []
        guard !all.contains(where: { $0.hasPrefix(beginning) }) else { return nil }
        let found = store.remnants().filter { $0.hasPrefix(beginning) }
        return found.count == 1 ? found[0] : nil
    }

    /// What others have said in an event goes with it, and goes first: what is left of a try that fails is
    /// found by the event.
    private func chosenWithOthers(among entries: [SessionEntry]) throws -> [SessionEntry] {
        let chosen = try chosen(among: entries)
        let ids = Set(chosen.map(\.record.session))
        let others = entries.filter { $0.goesWithItsEvent && ids.contains($0.record.event) }
        let taken = Set(others.map(\.record.session))
        return others + chosen.filter { !taken.contains($0.record.session) }
    }

    /// One that a host has is left to it, unless it was named.
    private func chosen(among entries: [SessionEntry]) throws -> [SessionEntry] {
        if let session { return [try SessionChoice(wanted: session).find(among: entries)] }
        let now = Clock.wall
        let founders = Set(entries.map(\.record.session))
        let old = entries.filter {
            now - $0.touched >= olderThan?.duration.seconds ?? -.infinity
                && !($0.goesWithItsEvent && founders.contains($0.record.event))
        }
        for entry in old where entry.isInUse {
            say("\"\(SafeText.line(entry.record.eventName))\" is on, and is left alone.")
        }
        return old.filter { !$0.isInUse }
    }

    private func isSure(_ question: DeleteQuestion) async throws -> Bool {
        if yes { return true }
        let thread = try LoopThread()
        let signals = Signals(on: thread)
        try await signals.start()
        let prompt = TerminalPrompt(on: thread, signals, console: nil)
        guard let answer = await prompt.confirm(question.text) else {
            throw Failure(
                .usage, "nobody can be asked here whether to delete \(question.what): give --yes.")
        }
        return answer
    }

    private func delete(_ session: String, from store: SessionStore) throws {
        do throws(SessionStoreError) {
            try store.delete(session)
        } catch {
            switch error {
            // Somebody else has deleted it.
            case .notFound, .held, .own, .damaged: return
            case .inUse:
                throw Failure(
                    .cannotMakeFile,
                    "session \(session) is being written by another program. End that one first.")
            case .system(let error):
                throw Failure(
                    .inputOutput,
                    "\(error). Of session \(session) something is left; mend that, and try again.")
            }
        }
    }
}
