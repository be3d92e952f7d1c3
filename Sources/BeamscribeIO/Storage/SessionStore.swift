public import BeamscribeCore
internal import CLinux
internal import FoundationEssentials
internal import Glibc

/// The sessions that are kept in a state folder:
///
///     events/<session>/log         the finals' frames, as on the wire
///     events/<session>/meta.json   what else is known of it (SessionRecord)
public struct SessionStore: Sendable {
    private let folder: String

    /// The sessions of `state`, whose folder need not be there yet.
    public init(in state: StateFolder) {
        folder = state.path + "/events"
    }

    /// Makes the files of a new session, and takes its lock.
    public func create(_ record: SessionRecord) throws(SystemError) -> SessionFiles {
        let path = path(of: record.session)
        try StateFolder.makeFolders(to: path)
        let log = try SessionLog(path + "/log", for: .create)
        _ = try log.lock()
        let files = SessionFiles(path, log)
        try files.write(record, durably: false)
        return files
    }

    /// Opens a session to go on in it, and takes its lock.
    public func open(_ session: String) throws(SessionStoreError) -> StoredSession {
        guard UUID(uuidString: session) != nil else { throw .notFound(session) }
        let path = path(of: session.lowercased())
        do throws(SystemError) {
            let log = try SessionLog(path + "/log", for: .append)
            guard try log.lock() else { throw SystemError("lock", path, code: EBUSY) }
            let files = SessionFiles(path, log)
            guard let record = SessionRecord(json: try SmallFile.read(files.recordPath)) else {
                throw SystemError("use", files.recordPath, code: EINVAL)
            }
            return StoredSession(record: record, files: files)
        } catch {
            switch error.code {
            case ENOENT: throw .notFound(session)
            case EBUSY: throw .inUse(session)
            default: throw .system(error)
            }
        }
    }

    /// All sessions that can be read, the one that was last written first.
    public func list() -> [SessionEntry] {
        SmallFile.names(in: folder).compactMap { entry($0) }
            .sorted { $0.modified > $1.modified }
    }

    /// The log of a session, to read it.
    public func log(of session: String) throws(SystemError) -> SessionLog {
        try SessionLog(reading: path(of: session) + "/log")
    }

    private func entry(_ name: String) -> SessionEntry? {
        let path = path(of: name)
        guard let log = try? SessionLog(reading: path + "/log"), let status = try? log.status(),
            let json = try? SmallFile.read(path + "/meta.json"),
            let record = SessionRecord(json: json)
        else { return nil }
        return SessionEntry(
            record: record, isInUse: log.isLockedByAnother, size: status.size,
            modified: status.modified)
    }

    private func path(of session: String) -> String { "\(folder)/\(session)" }
}

/// A session that is kept, at a glance.
public struct SessionEntry: Sendable {
    /// What its host said of it.
    public let record: SessionRecord
    /// Whether a host is writing it now.
    public let isInUse: Bool
    /// The log's size in bytes.
    public let size: UInt64
    /// When the log was last written, in seconds since 1970.
    public let modified: Double
}

/// A session that was opened to go on in it.
public struct StoredSession: Sendable {
    /// What is known of it, as it was found.
    public let record: SessionRecord
    /// Its files, locked.
    public let files: SessionFiles

    init(record: SessionRecord, files: SessionFiles) {
        self.record = record
        self.files = files
    }
}

/// Why a session could not be opened.
public enum SessionStoreError: Error, Equatable {
    case notFound(String)
    /// Another host has it.
    case inUse(String)
    case system(SystemError)
}

/// The files of a session that this program writes. The lock goes with the last reference.
public final class SessionFiles: Sendable {
    /// The lines.
    public let log: SessionLog
    private let path: String

    init(_ path: String, _ log: SessionLog) {
        self.path = path
        self.log = log
    }

    var recordPath: String { path + "/meta.json" }

    /// Replaces the record.
    public func write(_ record: SessionRecord, durably: Bool) throws(SystemError) {
        try SmallFile.replace(recordPath, with: record.json, durably: durably)
    }

    /// Waits until the disk knows the files themselves, their names included.
    public func synchronizeFolders() throws(SystemError) {
        for folder in [path, path + "/.."] {
            let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
            let number = try system("open", folder) { clinux_open(folder, flags, 0) }
            let descriptor = Descriptor(owning: number ?? -1)
            try system("save", folder) { fsync(descriptor.number) }
        }
    }

    /// Cuts the log after `intact` bytes. What lay behind is kept beside it: it may be more than a
    /// torn line.
    ///
    /// - Returns: the name of the file that has it.
    public func cutOff(after intact: UInt64) throws(SystemError) -> String {
        let size = try log.status().size
        let tail = try log.bytes(from: intact, limit: Int(max(size, intact) - intact))
        let kept = "\(path)/cut-off-at-\(intact)"
        // On a full disk the cut matters more than what is cut off.
        try? SmallFile.replace(kept, with: tail, durably: false)
        try log.truncate(to: intact)
        return kept
    }
}
