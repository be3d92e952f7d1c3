import BeamscribeCore
import BeamscribeIO

/// The session that `--resume` means.
struct ResumableSession {
    private let wanted: String
    private let event: String?

    /// - Parameters:
    ///   - wanted: a session's id, a beginning of it that only one has, or "last".
    ///   - event: the name that the last one must have; nil for any.
    init(_ wanted: String, event: String?) {
        self.wanted = wanted
        self.event = event
    }

    /// - Throws: ``Failure`` where there is none, or another host has it.
    func open(in store: SessionStore) throws -> StoredSession {
        let session = try find(among: store.list())
        do throws(SessionStoreError) {
            return try store.open(session)
        } catch .inUse {
            throw Failure(
                .cannotMakeFile,
                "session \(session) is being written by another host. End that one first.")
        } catch .notFound {
            throw notFound
        } catch .system(let error) {
            throw Failure(.inputOutput, "\(error).")
        }
    }

    private func find(among entries: [SessionEntry]) throws -> String {
        if wanted == "last" { return try last(among: entries) }
        let found = entries.map(\.record.session).filter { $0.hasPrefix(wanted.lowercased()) }
        guard let session = found.first, found.count == 1 || session == wanted.lowercased() else {
            throw found.isEmpty
                ? notFound
                : Failure(.usage, "several sessions begin with '\(wanted)': give more of the id.")
        }
        return session
    }

    private func last(among entries: [SessionEntry]) throws -> String {
        let fitting = entries.filter { event == nil || $0.record.eventName == event }
        if let free = fitting.first(where: { !$0.isInUse }) { return free.record.session }
        if let busy = fitting.first { return busy.record.session }
        let name = event.map { " of \"\(SafeText.line($0))\"" } ?? ""
        throw Failure(
            .unreadableInput,
            "there is no session\(name) to go on in; `beamscribe sessions` lists those there are.")
    }

    private var notFound: Failure {
        Failure(
            .unreadableInput,
            "there is no session '\(SafeText.line(wanted))'; `beamscribe sessions` lists those there are."
        )
    }
}
