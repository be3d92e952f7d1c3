import BeamscribeCore
import BeamscribeIO

/// Keeps an event on the disk: the session's record, and its log as a sink of the ``EventLog``.
///
/// Invariant: `files` are open and locked from the first time that they could be, until the end.
final class HostJournal {
    private let log: EventLog
    private let storage: HostConfiguration.Storage
    private var files: SessionFiles?
    private var record: SessionRecord
    /// Whether the disk has the files' names.
    var foldersAreSynchronized = false

    /// - Parameter began: when this run of the session began, in seconds since 1970.
    init(_ log: EventLog, _ configuration: HostConfiguration, began: Double) {
        self.log = log
        storage = configuration.storage
        switch storage {
        case .resumed(let stored):
            record = stored.record
            record.begin(at: began, after: log.runs.currentBegan)
            record.eventName = configuration.eventName
            record.deviceName = configuration.deviceName
        case .none, .new:
            record = SessionRecord(
                session: log.session.wireName, eventName: configuration.eventName,
                deviceName: configuration.deviceName, started: began)
        }
        record.hasCode = configuration.security.hasCode ? true : nil
        if keepsLog { log.add(.disk) }
    }

    private var keepsLog: Bool { if case .none = storage { false } else { true } }

    /// Opens the session's files, before anything is sent.
    ///
    /// - Throws: when another run of a session cannot be noted. Its lines could not be told from
    ///   the next run's, so that it must not begin.
    func open(port: UInt16?) throws(SystemError) -> [HostEvent] {
        record.port = port
        guard keepsLog else { return [] }
        do throws(SystemError) {
            try openFiles()
            return []
        } catch {
            if case .resumed = storage { throw error }
            return log.failed(.disk, "\(error)", now: Clock.now)
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

    func store() -> [HostEvent] {
        guard keepsLog else { return [] }
        do throws(SystemError) {
            let file = try openFiles().log
            return log.feed(.disk, now: Clock.now) { bytes, offset throws(SystemError) in
                try file.write(bytes, at: offset)
            }
        } catch {
            return log.failed(.disk, "\(error)", now: Clock.now)
        }
    }

    func noteMarks() {
        record.marks = log.marks
        // Told again with the next mark, or at the end.
        try? files?.write(record, durably: false)
    }

    /// Browsers find the event there.
    func note(_ web: SessionRecord.Web) {
        record.web = web
        try? files?.write(record, durably: false)
    }

    /// What is to be synchronised now; nil where there is nothing, or no file.
    var dirty: (files: SessionFiles, to: SinkPlace)? {
        guard let files, let place = log.unconfirmed(.disk) else { return nil }
        return (files, place)
    }

    /// The disk has everything up to `place`, or could not take it.
    func synchronized(to place: SinkPlace, failure: SystemError?) -> [HostEvent] {
        if let failure { return log.failed(.disk, "\(failure)", now: Clock.now) }
        log.confirmed(.disk, place)
        return []
    }

    /// Stores the rest and how the run ended, and waits for the disk.
    ///
    /// - Returns: news for the operator, where something could not be stored.
    func close(_ state: SessionRecord.State) -> [HostEvent] {
        guard keepsLog else { return [] }
        let events = store()
        guard let files, let size = log.place(of: .disk)?.fileOffset else { return events }
        do throws(SystemError) {
            if !log.isFailing(.disk) { try files.log.truncate(to: size) }
            try files.log.synchronize()
            record.state = state
            try files.write(record, durably: true)
            return events
        } catch {
            return events + log.failed(.disk, "\(error)", now: Clock.now)
        }
    }
}
