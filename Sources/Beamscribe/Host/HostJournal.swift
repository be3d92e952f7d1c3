import BeamscribeCore
import BeamscribeIO

/// Keeps a host's session on the disk: its record, and its log by the session's own account.
///
/// Invariant: `files` are open and locked from the first time that they could be, until the end.
final class HostJournal {
    private let session: HostSession
    private let storage: HostConfiguration.Storage
    private var files: SessionFiles?
    private var record: SessionRecord
    /// Whether the disk has the files' names.
    var foldersAreSynchronized = false

    /// - Parameters:
    ///   - hasCode: whether guests have to know a code.
    ///   - began: when this run of the session began, in seconds since 1970.
    init(
        _ session: HostSession, _ storage: HostConfiguration.Storage, hasCode: Bool, began: Double
    ) {
        self.session = session
        self.storage = storage
        let configuration = session.configuration
        switch storage {
        case .resumed(let stored):
            record = stored.record
            record.begin(at: began, after: configuration.runs.currentBegan)
            record.eventName = configuration.eventName
            record.deviceName = configuration.deviceName
        case .none, .new:
            record = SessionRecord(
                session: configuration.session.wireName, eventName: configuration.eventName,
                deviceName: configuration.deviceName, started: began)
        }
        record.hasCode = hasCode ? true : nil
    }

    /// Opens the session's files, before anything is sent.
    ///
    /// - Throws: when another run of a session cannot be noted. Its lines could not be told from
    ///   the next run's, so that it must not begin.
    func open(port: UInt16?) throws(SystemError) -> [HostSession.Action] {
        record.port = port
        guard session.configuration.keepsLog else { return [] }
        do throws(SystemError) {
            try openFiles()
            return []
        } catch {
            if case .resumed = storage { throw error }
            return session.storageFailed("\(error)", now: Clock.now)
        }
    }

    /// That another run has begun must last before its lines are sent: guests tell by it which of
    /// their lines still count.
    @discardableResult
    private func openFiles() throws(SystemError) -> SessionFiles {
        if let files { return files }
        switch storage {
        case .none: throw SystemError("keep", "the transcript", code: 0)
        case .new(let store): files = try store.create(record)
        case .resumed(let stored):
            try stored.files.write(record, durably: true)
            files = stored.files
        }
        return try openFiles()
    }

    /// Stores what was published since.
    func store() -> [HostSession.Action] {
        guard session.configuration.keepsLog else { return [] }
        do throws(SystemError) {
            let log = try openFiles().log
            return session.store(now: Clock.now) { bytes, offset throws(SystemError) in
                try log.write(bytes, at: offset)
            }
        } catch {
            return session.storageFailed("\(error)", now: Clock.now)
        }
    }

    /// The places that the operator has marked.
    var marks: [SessionRecord.Mark] { record.marks ?? [] }

    /// The operator has marked a place.
    func mark(after seq: Int, at time: Double) {
        record.mark(after: seq, at: time)
        // Told again with the next mark, or at the end.
        try? files?.write(record, durably: false)
    }

    /// Browsers find the event there.
    func note(_ web: SessionRecord.Web) {
        record.web = web
        try? files?.write(record, durably: false)
    }

    /// What is to be synchronised now; nil where there is nothing, or no file.
    var dirty: (files: SessionFiles, to: JournalPlace)? {
        guard let files, let place = session.unsynchronized else { return nil }
        return (files, place)
    }

    /// The disk has everything up to `place`, or could not take it.
    func synchronized(to place: JournalPlace, failure: SystemError?) -> [HostSession.Action] {
        if let failure { return session.storageFailed("\(failure)", now: Clock.now) }
        session.synchronized(place)
        return []
    }

    /// Stores the rest and how the run ended, and waits for the disk.
    ///
    /// - Returns: news for the operator, where something could not be stored.
    func close(_ state: SessionRecord.State) -> [HostSession.Action] {
        guard session.configuration.keepsLog else { return [] }
        let actions = store()
        guard let files else { return actions }
        do throws(SystemError) {
            if !session.storageIsFailing { try files.log.truncate(to: session.logSize) }
            try files.log.synchronize()
            record.state = state
            try files.write(record, durably: true)
            return actions
        } catch {
            return actions + session.storageFailed("\(error)", now: Clock.now)
        }
    }
}
