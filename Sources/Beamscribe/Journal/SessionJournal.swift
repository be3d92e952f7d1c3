import BeamscribeCore
import BeamscribeIO

/// Keeps a log on the disk: the session's record, and its lines as a sink of the ``EventLog``. What
/// could not be stored it tries again, and what it has stored it has the disk confirm, a while later.
///
/// Invariant: `files` are open and locked from the first time that they could be, until the end; the
/// disk is asked to confirm one thing at a time.
final class SessionJournal {
    /// Told when the disk has answered, or is to be tried again, and what is to be known of that. Whoever
    /// owns this then gives out what there is, and so stores.
    var isDue: ([HostEvent]) -> Void = { _ in }

    private let log: EventLog
    private let loop: any Loop
    private let worker: any Worker
    private let timing: Timing
    private let storage: HostConfiguration.Storage
    /// The newest line that was on the disk before.
    private let start: Int
    private var files: SessionFiles?
    /// What is known of the session.
    private(set) var record: SessionRecord
    /// Whether the disk has the record, and the files' names.
    private var recordIsSynchronized = false
    @OwnedTimer private var retry: LoopTimer?
    @OwnedTimer private var synchronization: LoopTimer?
    private var isSynchronizing = false
    private var isClosed = false
    /// Notes what the lines hash to; nil before the first time.
    private var checkpoints: CheckpointWriter?

    /// - Parameters:
    ///   - log: has the disk among its sinks, unless nothing is kept.
    ///   - record: what is known of the session from now on.
    init(
        _ log: EventLog, as record: SessionRecord, in storage: HostConfiguration.Storage,
        _ timing: Timing, on surroundings: any Surroundings
    ) {
        (self.log, self.record, self.storage, self.timing) = (log, record, storage, timing)
        start = log.place(of: .disk)?.lastSeq ?? 0
        loop = surroundings.network.loop
        worker = surroundings.worker
    }

    private var keepsLog: Bool { if case .none = storage { false } else { true } }

    /// The session as it is now, for another that goes on in it; nil where its files could not be opened.
    var stored: StoredSession? { files.map { StoredSession(record: record, files: $0) } }

    /// Opens the session's files, before anything is given out.
    ///
    /// - Throws: when another run of a session cannot be noted. Its lines could not be told from
    ///   the next run's, so that it must not begin.
    func open() throws(SystemError) -> [HostEvent] {
        guard keepsLog else { return [] }
        do throws(SystemError) {
            try openFiles()
            return []
        } catch {
            if case .resumed = storage { throw error }
            defer { arm() }
            return log.failed(.disk, "\(error)", now: loop.now)
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

    /// Stores what was said, so that it may be shown.
    ///
    /// - Returns: what is to be known of that.
    func store() -> [HostEvent] {
        log.seal()
        guard keepsLog else { return [] }
        defer { arm() }
        return write()
    }

    private func write() -> [HostEvent] {
        do throws(SystemError) {
            let file = try openFiles().log
            return log.feed(.disk, now: loop.now) { bytes, offset throws(SystemError) in
                try file.write(bytes, at: offset)
            }
        } catch {
            return log.failed(.disk, "\(error)", now: loop.now)
        }
    }

    /// Something else is known of the session. Where that cannot be told the disk it is told again with
    /// the next change, or at the end.
    func note(_ change: (inout SessionRecord) -> Void) {
        change(&record)
        try? files?.write(record, durably: false)
    }

    // MARK: Later

    private func arm() {
        guard !isClosed else { return }
        if log.isFailing(.disk), retry == nil {
            retry = loop.schedule(after: timing.storageRetry) { [unowned self] in
                retry = nil
                isDue([])
            }
        }
        guard log.unconfirmed(.disk) != nil, synchronization == nil, !isSynchronizing else {
            return
        }
        synchronization = loop.schedule(after: timing.synchronizeAfter) { [unowned self] in
            synchronization = nil
            synchronize()
        }
    }

    /// Has the disk confirm what was stored. Where that cannot be asked for now it is asked again.
    private func synchronize() {
        guard let files, let place = log.unconfirmed(.disk) else { return }
        noteCheckpoints(in: files, through: place.lastSeq)
        let recordToo = !recordIsSynchronized
        do throws(SystemError) {
            try worker.perform {
                Confirmation(of: files, recordToo: recordToo)
            } _: { [weak self] in
                self?.take($0, of: place)
            }
            isSynchronizing = true
        } catch {
            arm()
        }
    }

    /// Notes what the lines hash to that were stored, many at a time. Without the notes the log is
    /// as good, until something in it is damaged.
    private func noteCheckpoints(in files: SessionFiles, through seq: Int) {
        guard log.isSigned else { return }
        var writer = checkpoints ?? CheckpointWriter(after: min(files.lastCheckpoint(), start))
        writer.write(of: log, through: seq) { try? files.add(checkpoints: $0) }
        checkpoints = writer
    }

    /// What came of waiting for the disk.
    private struct Confirmation {
        let failure: SystemError?
        let includesRecord: Bool

        init(of files: SessionFiles, recordToo: Bool) {
            do throws(SystemError) {
                try files.log.synchronize()
                failure = nil
            } catch {
                failure = error
            }
            // Where it cannot be asked, for want of a descriptor say, it is asked again.
            includesRecord = recordToo && (try? files.synchronizeRecord()) != nil
        }
    }

    private func take(_ confirmation: Confirmation, of place: SinkPlace) {
        isSynchronizing = false
        guard !isClosed else { return }
        if confirmation.includesRecord { recordIsSynchronized = true }
        guard let failure = confirmation.failure else {
            log.confirmed(.disk, place)
            return isDue([])
        }
        isDue(log.failed(.disk, "\(failure)", now: loop.now))
    }

    /// Stores the rest, and what the record is to be in the end, and waits for the disk.
    ///
    /// - Returns: what is to be known, where something could not be stored.
    func close(_ change: (inout SessionRecord) -> Void) -> [HostEvent] {
        (isClosed, retry, synchronization) = (true, nil, nil)
        guard keepsLog else { return [] }
        let events = write()
        guard let files, let size = log.place(of: .disk)?.fileOffset else { return events }
        do throws(SystemError) {
            if !log.isFailing(.disk) { try files.log.truncate(to: size) }
            noteCheckpoints(in: files, through: log.place(of: .disk)?.lastSeq ?? 0)
            try files.log.synchronize()
            change(&record)
            try files.write(record, durably: true)
            if !recordIsSynchronized { try files.synchronizeRecord() }
            // Who is late is given it from memory. Where that fails it is there to be seen.
            if record.state == .ended, record.keep == 0 { try? files.delete(record.session) }
            return events
        } catch {
            return events + log.failed(.disk, "\(error)", now: loop.now)
        }
    }
}
