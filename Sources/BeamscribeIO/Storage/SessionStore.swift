public import BeamscribeCore
internal import FoundationEssentials
internal import Glibc

/// The sessions that are kept in a state folder:
///
///     events/<session>/log         the finals' frames, as on the wire
///     events/<session>/meta.json   what else is known of it (SessionRecord)
///     events/<session>/chain       what the lines hash to (ChainCheckpoints); absent where none is signed
public struct SessionStore: Sendable {
    private let state: any FolderRoot

    /// The sessions of `state`, whose folder need not be there yet.
    public init(in state: StateFolder) {
        self.state = state
    }

    package init(in state: any FolderRoot) {
        self.state = state
    }

    /// Makes the files of a new session, and takes its lock.
    public func create(_ record: SessionRecord) throws(SystemError) -> SessionFiles {
        let sessions = try sessions(for: .make)
        let folder = try sessions.folder(record.session, for: .make)
        let log = try SessionLog(in: folder, for: .make)
        _ = try log.lock()
        let files = SessionFiles(folder, in: sessions, log)
        try files.write(record, durably: false)
        return files
    }

    /// Opens a session that a host left, so that another can go on in it.
    public func open(_ session: String) throws(SessionStoreError) -> StoredSession {
        // Who holds it may have its lock.
        if let record = record(of: session), record.held != nil { throw .held(record) }
        let stored = try openAny(session)
        guard stored.record.held == nil else { throw .held(stored.record) }
        return stored
    }

    /// Opens a session that is only held here, for another who writes it.
    public func openHeld(_ session: String) throws(SessionStoreError) -> StoredSession {
        // Who hosts it has its lock.
        if let record = record(of: session), record.held == nil { throw .own(session) }
        let stored = try openAny(session)
        guard stored.record.held != nil else { throw .own(session) }
        return stored
    }

    private func record(of session: String) -> SessionRecord? {
        let folder = try? sessions(for: .read).folder(session.lowercased(), for: .read)
        return (try? folder?.read(Self.recordName)).flatMap(SessionRecord.init(json:))
    }

    /// What is known of the session whose log lies at a path, wherever that is; nil where nothing
    /// is.
    public static func record(beside log: String) -> SessionRecord? {
        let folder = log.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let path = (folder + [recordName[...]]).joined(separator: "/")
        guard (try? SystemFile(reading: path)) != nil else { return nil }
        return (try? SmallFile.read(path)).flatMap(SessionRecord.init(json:))
    }

    private func openAny(_ session: String) throws(SessionStoreError) -> StoredSession {
        guard UUID(uuidString: session) != nil else { throw .notFound(session) }
        let (files, json): (SessionFiles, [UInt8])
        do throws(SystemError) {
            let sessions = try sessions(for: .write)
            let folder = try sessions.folder(session.lowercased(), for: .write)
            let log = try SessionLog(in: folder, for: .write)
            guard try log.lock() else { throw SystemError("lock", folder.path, code: EBUSY) }
            (files, json) = (
                SessionFiles(folder, in: sessions, log), try folder.read(Self.recordName)
            )
        } catch {
            switch error.code {
            case ENOENT: throw .notFound(session)
            case EBUSY: throw .inUse(session)
            default: throw .system(error)
            }
        }
        guard let record = SessionRecord(json: json) else { throw .damaged(session) }
        return StoredSession(record: record, files: files)
    }

    /// All sessions that can be read, the one that was last written first. Where two were written at
    /// the same time, one of this machine's own comes first.
    ///
    /// - Throws: where the folder that holds them is not used, or the system refuses it.
    public func list() throws(SystemError) -> [SessionEntry] {
        do throws(SystemError) {
            let sessions = try sessions(for: .read)
            return SessionEntry.withTheirLogs(
                sessions.names().compactMap { entry($0, in: sessions) }
            )
            .sorted { $0.isNewer(than: $1) }
        } catch {
            if error.code == ENOENT { return [] }
            throw error
        }
    }

    /// The log of a session, to read it.
    public func log(of session: String) throws(SystemError) -> SessionLog {
        try SessionLog(
            in: try sessions(for: .read).folder(session, for: .read), for: .read)
    }

    /// A record that speaks of another session than its folder's would lead to other files.
    private func entry(_ name: String, in sessions: any Folder) -> SessionEntry? {
        guard let folder = try? sessions.folder(name, for: .read),
            let log = try? SessionLog(in: folder, for: .read), let status = try? log.status(),
            let json = try? folder.read(Self.recordName), let record = SessionRecord(json: json),
            record.session == name
        else { return nil }
        return SessionEntry(
            record: record, isInUse: log.isLockedByAnother, size: status.size,
            modified: status.modified)
    }

    /// Forgets a session: its words, and all that is known of it. Where that is interrupted the words
    /// go first, and a further try finds the rest.
    public func delete(_ session: String) throws(SessionStoreError) {
        guard UUID(uuidString: session) != nil else { throw .notFound(session) }
        do throws(SystemError) {
            let sessions = try sessions(for: .write)
            let folder = try sessions.folder(session, for: .write)
            let log = try SessionLog(in: folder, for: .make)
            guard try log.lock() else { throw SystemError("lock", folder.path, code: EBUSY) }
            try SessionFiles(folder, in: sessions, log).delete(session)
        } catch {
            switch error.code {
            case ENOENT: throw .notFound(session)
            case EBUSY: throw .inUse(session)
            default: throw .system(error)
            }
        }
    }

    /// Forgets all sessions whose time is over.
    ///
    /// - Parameter now: in seconds since 1970.
    /// - Returns: the events' names.
    public func deleteExpired(now: Double) -> [String] {
        let all = (try? list()) ?? []
        return all.filter { $0.isExpired(among: all, now: now) }.compactMap { entry in
            guard (try? delete(entry.record.session)) != nil else { return nil }
            // What others have said in an event goes with it.
            return entry.goesWithItsEvent ? nil : entry.record.eventName
        }
    }

    /// The logs of others that are held of an event besides the one that has founded it, in the order in
    /// which they were begun.
    public func others(of event: String) -> [SessionEntry] {
        let all = (try? list()) ?? []
        return all.filter {
            $0.record.held != nil && $0.record.isSideLog && $0.record.event == event
        }
        .sorted { $0.record.runs[0].started < $1.record.runs[0].started }
    }

    /// The logs that this machine has written in an event of somebody else, and that no program writes
    /// now.
    public func own(in event: String) -> [SessionEntry] {
        ((try? list()) ?? []).filter {
            $0.record.held == nil && $0.record.isSideLog && $0.record.event == event
                && $0.hasLines && !$0.isInUse
        }
    }

    /// Folders of sessions that were being deleted, of which nothing can be read any more.
    public func remnants() -> [String] {
        guard let sessions = try? sessions(for: .read) else { return [] }
        return sessions.names().filter {
            UUID(uuidString: $0) != nil && entry($0, in: sessions) == nil
        }
    }

    /// Sessions whose record cannot be read, though there are lines.
    package func damaged() -> [DamagedSession] {
        guard let sessions = try? sessions(for: .read) else { return [] }
        return remnants().sorted().compactMap { session in
            guard let folder = try? sessions.folder(session, for: .read),
                let log = try? SessionLog(in: folder, for: .read),
                let size = try? log.status().size, size > 0
            else { return nil }
            return DamagedSession(session: session, path: folder.path)
        }
    }

    /// The notes of a session's hash chain; none where they cannot be read.
    package func checkpoints(of session: String) -> ChainCheckpoints {
        let folder = try? sessions(for: .read).folder(session, for: .read)
        return ChainCheckpoints(
            (try? folder?.read(Self.chainName, limit: Limits.checkpointBytes)) ?? [])
    }

    private func sessions(for purpose: OpenPurpose) throws(SystemError) -> any Folder {
        try state.open(for: purpose).folder("events", for: purpose)
    }

    fileprivate static let recordName = "meta.json"
    fileprivate static let chainName = "chain"
}

/// A session of which there are lines, and no record that can be read.
package struct DamagedSession: Sendable, Equatable {
    /// Its id.
    package let session: String
    /// Its folder.
    package let path: String
}

/// A session that is kept, at a glance.
public struct SessionEntry: Sendable {
    /// What its host said of it.
    public let record: SessionRecord
    /// Whether a host is writing it now.
    public let isInUse: Bool
    /// The log's size in bytes.
    public let size: UInt64
    /// When the log was last written, or another that its host writes in the same event, in seconds since 1970.
    public private(set) var modified: Double
    /// Whether there is a line, in it or in another log that its host writes in the same event.
    public private(set) var hasLines: Bool

    init(record: SessionRecord, isInUse: Bool, size: UInt64, modified: Double) {
        (self.record, self.isInUse, self.size) = (record, isInUse, size)
        (self.modified, hasLines) = (modified, size > 0)
    }

    /// The same, each event of which all was said in other logs of its host's as one in which something was said.
    static func withTheirLogs(_ entries: [SessionEntry]) -> [SessionEntry] {
        let others = entries.filter { $0.record.contribution?.goesWithItsEvent == true }
        let byEvent = Dictionary(grouping: others, by: \.record.event)
        return entries.map { entry in
            var whole = entry
            for other in byEvent[entry.record.session] ?? [] {
                whole.modified = max(whole.modified, other.modified)
                whole.hasLines = whole.hasLines || other.hasLines
            }
            return whole
        }
    }

    /// Whether it was written later than another. This machine's own is the later one of two that were
    /// written at the same time.
    func isNewer(than other: SessionEntry) -> Bool {
        guard modified == other.modified else { return modified > other.modified }
        return record.held == nil && other.record.held != nil
    }

    /// The time at which anything was heard of it last, in seconds since 1970. For another's log the
    /// time counts at which the file was written: its writer can name any time for its beginning.
    public var touched: Double {
        record.held == nil ? max(modified, record.runs.last?.started ?? 0) : modified
    }

    /// Whether it is nothing without the log that has founded its event: another's words in that, what was said
    /// there in another language, or by one who talks.
    public var goesWithItsEvent: Bool {
        record.isSideLog
            && (record.held != nil || record.contribution?.goesWithItsEvent == true)
    }

    /// Whether it was to be kept no longer than until now. What has not ended has an hour at least:
    /// somebody may be about to go on with it. What belongs to an event goes with the log that has
    /// founded it, where that is here.
    func isExpired(among all: [SessionEntry], now: Double) -> Bool {
        guard let keep = record.keep else { return false }
        let event = record.event
        let founder = all.first { $0.record.session == event }
        guard !isInUse, !goesWithItsEvent || founder?.isInUse != true else { return false }
        let state = goesWithItsEvent ? founder?.record.state ?? record.state : record.state
        let heard = goesWithItsEvent ? max(touched, founder?.touched ?? 0) : touched
        let least = state == .ended ? 0 : Limits.interruptedEvent.seconds
        return now - heard >= max(keep, least)
    }
}

/// A session that was opened to go on in it.
public struct StoredSession: Sendable {
    /// What is known of it, as it was found.
    public let record: SessionRecord
    /// Its files, locked.
    public let files: SessionFiles

    /// The same, of a log that has had these runs.
    public func having(_ runs: SessionRuns) -> StoredSession {
        var record = record
        record.adopt(runs)
        return StoredSession(record: record, files: files)
    }

    package init(record: SessionRecord, files: SessionFiles) {
        (self.record, self.files) = (record, files)
    }
}

/// Why a session cannot be had.
public enum SessionStoreError: Error, Equatable {
    /// There is none of this id.
    case notFound(String)
    /// Another host has it, or another who holds it.
    case inUse(String)
    /// It is another's, and only held here.
    case held(SessionRecord)
    /// It is this machine's own.
    case own(String)
    /// Its record is damaged.
    case damaged(String)
    /// The system refuses it.
    case system(SystemError)
}

/// The files of a session that this program writes. The lock goes with the last reference.
public final class SessionFiles: Sendable {
    public let log: SessionLog
    private let folder: any Folder
    /// The folder of all sessions.
    private let sessions: any Folder

    init(_ folder: any Folder, in sessions: any Folder, _ log: SessionLog) {
        self.folder = folder
        self.sessions = sessions
        self.log = log
    }

    public func write(_ record: SessionRecord, durably: Bool) throws(SystemError) {
        try folder.replace(SessionStore.recordName, with: record.json, durably: durably)
        // Until then a loss of power may bring the old one back.
        if durably { try folder.synchronize() }
    }

    /// What was noted of what the lines hash to. Where that cannot be read there is none.
    public func checkpoints() -> ChainCheckpoints {
        ChainCheckpoints(
            (try? folder.read(SessionStore.chainName, limit: Limits.checkpointBytes)) ?? [])
    }

    /// The last line of which something was noted; 0 for none.
    public func lastCheckpoint() -> Int {
        guard let file = try? folder.file(SessionStore.chainName, for: .read),
            let size = try? file.status().size, size >= UInt64(clamping: ChainCheckpoints.size)
        else { return 0 }
        var end = [UInt8](repeating: 0, count: ChainCheckpoints.size)
        let offset = Self.wholeNotes(size) - UInt64(clamping: end.count)
        let count = end.withUnsafeMutableBytes { try? file.read(into: $0, at: offset) }
        return count == end.count ? ChainCheckpoints.lastSeq(of: end) : 0
    }

    /// Adds notes of what lines hash to. Nobody waits for the disk: they are a help, and no more.
    public func add(checkpoints notes: [UInt8]) throws(SystemError) {
        let file = try folder.file(SessionStore.chainName, for: .make)
        // A torn note is written over.
        var offset = Self.wholeNotes(try file.status().size)
        guard offset + UInt64(clamping: notes.count) <= UInt64(clamping: Limits.checkpointBytes)
        else { return }
        var rest = notes[...]
        while !rest.isEmpty {
            let (count, failure) = rest.withUnsafeBytes { bytes -> (Int, SystemError?) in
                do throws(SystemError) {
                    return (try file.write(bytes, at: offset), nil)
                } catch {
                    return (0, error)
                }
            }
            if let failure { throw failure }
            rest = rest.dropFirst(count)
            offset += UInt64(clamping: count)
            if count == 0 { return }
        }
    }

    private static func wholeNotes(_ size: UInt64) -> UInt64 {
        size - size % UInt64(clamping: ChainCheckpoints.size)
    }

    /// Removes everything, the words first. Nothing is written after that.
    ///
    /// - Parameter session: the folder's name.
    public func delete(_ session: String) throws(SystemError) {
        try log.truncate(to: 0)
        for name in folder.names() where name != SessionStore.recordName { try folder.remove(name) }
        try folder.remove(SessionStore.recordName)
        try sessions.remove(session)
        try sessions.synchronize()
    }

    /// Waits until the disk has the files' names and the record, without which the log is of no use.
    public func synchronizeRecord() throws(SystemError) {
        try folder.synchronize(SessionStore.recordName)
        for folder in [folder, sessions] { try folder.synchronize() }
    }

    /// Cuts off the log's end, once the disk has a copy of it beside the log: it may be more than a
    /// torn line. Where that cannot be had nothing is cut.
    public func cutOff(_ tail: Range<UInt64>) -> TailFate {
        do throws(SystemError) {
            let kept = try copy(tail)
            try log.truncate(to: tail.lowerBound)
            return .cutOff(kept: kept)
        } catch {
            return .stays(error)
        }
    }

    /// - Returns: the name of the file that has it.
    private func copy(_ tail: Range<UInt64>) throws(SystemError) -> String {
        let bytes = try log.bytes(from: tail.lowerBound, limit: tail.count)
        guard bytes.count == tail.count else {
            throw SystemError("read", log.path, code: EIO)
        }
        // An earlier host may have cut off something else there.
        var name = "cut-off-at-\(tail.lowerBound)"
        while let other = try existing(name, limit: tail.count + 1), other != bytes {
            name += "-2"
        }
        try folder.replace(name, with: bytes, durably: true)
        try folder.synchronize()
        return "\(folder.path)/\(name)"
    }

    private func existing(_ name: String, limit: Int) throws(SystemError) -> [UInt8]? {
        do throws(SystemError) {
            return try folder.read(name, limit: limit)
        } catch  where error.code == ENOENT || error.code == ELOOP {
            // A link is none of this program's files, and is replaced.
            return nil
        }
    }
}

/// What became of bytes at a log's end that are no whole line.
public enum TailFate: Equatable, Sendable {
    /// They are in a file of this name instead.
    case cutOff(kept: String)
    /// They could not be kept elsewhere, and stay where they are.
    case stays(SystemError)
}
