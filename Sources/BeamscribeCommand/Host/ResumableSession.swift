import BeamscribeCore
import BeamscribeIO

/// The session that `--resume` means.
struct ResumableSession {
    private let choice: SessionChoice

    /// - Parameters:
    ///   - wanted: a session's id, a beginning of it that only one has, or "last".
    ///   - event: the name that the last one must have; nil for any.
    init(_ wanted: String, event: String?) {
        choice = SessionChoice(wanted: wanted, event: event, prefersFree: true)
    }

    /// - Throws: ``Failure`` where there is none, or another host has it.
    func open(in store: SessionStore) throws -> StoredSession {
        let session = try choice.find(among: try store.list()).record.session
        do throws(SessionStoreError) {
            return try store.open(session)
        } catch .inUse {
            throw Failure(
                .cannotMakeFile,
                "session \(session) is being written by another host. End that one first.")
        } catch .notFound {
            throw choice.notFound
        } catch .system(let error) {
            throw Failure(
                .inputOutput,
                "\(error). `beamscribe host --event NAME` begins another session, `beamscribe doctor` "
                    + "checks this machine.")
        }
    }
}
