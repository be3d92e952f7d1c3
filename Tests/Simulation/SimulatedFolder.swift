import BeamscribeCore
import BeamscribeIO
import Glibc

/// The sessions on a machine's disk.
protocol SimulatedSessions: AnyObject {
    /// The log, and the small files, of the session in a folder.
    func log(at path: String) -> SimulatedDisk
    /// The notes beside the log; nil where there are none.
    func chain(at path: String) -> SimulatedDisk?
    func names(at path: String) -> [String]
}

extension SimulatedDisk: SimulatedSessions {
    func log(at path: String) -> SimulatedDisk { self }
    // Notes beside the log are no more than a help.
    func chain(at path: String) -> SimulatedDisk? { nil }
    func names(at path: String) -> [String] { small.keys.sorted() }
}

/// The folders of a simulated disk as one program sees them: `events`, the sessions' folders in it,
/// and in each of those its log and small files.
final class SimulatedFolder: Folder, FolderRoot, @unchecked Sendable {
    let path: String
    private let process: SimulatedProcess
    private let sessions: any SimulatedSessions
    private var disk: SimulatedDisk { sessions.log(at: path) }

    init(_ path: String = "", of process: SimulatedProcess, on sessions: any SimulatedSessions) {
        self.path = path
        self.process = process
        self.sessions = sessions
    }

    func open(for purpose: OpenPurpose) throws(SystemError) -> any Folder { self }

    func folder(_ name: String, for purpose: OpenPurpose) throws(SystemError) -> any Folder {
        SimulatedFolder("\(path)/\(name)", of: process, on: sessions)
    }

    func file(_ name: String, for purpose: OpenPurpose) throws(SystemError) -> any File {
        let file = name == "log" ? disk : name == "chain" ? sessions.chain(at: path) : nil
        guard let file, purpose == .make || file.hasLog else {
            throw SystemError("open", "\(path)/\(name)", code: ENOENT)
        }
        if purpose == .make { file.hasLog = true }
        return SimulatedFile(of: process, on: file)
    }

    func read(_ name: String, limit: Int) throws(SystemError) -> [UInt8] {
        let chain = name == "chain" ? sessions.chain(at: path)?.cache : nil
        guard let bytes = chain ?? disk.small[name]?.cache else {
            throw SystemError("open", "\(path)/\(name)", code: ENOENT)
        }
        return Array(bytes.prefix(limit))
    }

    func replace(_ name: String, with bytes: [UInt8], durably: Bool) throws(SystemError) {
        guard process.isAlive else { return }
        guard disk.replace(name, with: bytes, durably: durably) else {
            throw SystemError("write to", "\(path)/\(name)", code: ENOSPC)
        }
    }

    func synchronize(_ name: String) throws(SystemError) {
        guard process.isAlive else { return }
        guard disk.synchronize(name) else { throw SystemError("save", name, code: EIO) }
    }

    func remove(_ name: String) throws(SystemError) {
        throw SystemError("remove", "\(path)/\(name)", code: EPERM)
    }

    func names() -> [String] { sessions.names(at: path) }

    func synchronize() throws(SystemError) {
        guard process.isAlive else { return }
        guard disk.synchronizeNames() else { throw SystemError("save", path, code: EIO) }
    }
}

/// The log on a simulated disk, as one program has it open.
final class SimulatedFile: File, @unchecked Sendable {
    private let process: SimulatedProcess
    private let disk: SimulatedDisk

    init(of process: SimulatedProcess, on disk: SimulatedDisk) {
        self.process = process
        self.disk = disk
    }

    func lock() throws(SystemError) -> Bool { true }
    var isLockedByAnother: Bool { false }

    func status() throws(SystemError) -> (size: UInt64, modified: Double) {
        (UInt64(clamping: disk.cache.count), 0)
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(SystemError) -> Int {
        // A small piece, so that a damaged length leads back beyond it.
        let piece = disk.cache.dropFirst(Int(clamping: offset)).prefix(min(buffer.count, 4_096))
        buffer.copyBytes(from: piece)
        return piece.count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) -> Int {
        guard process.isAlive else { return bytes.count }
        do throws(SimulatedDisk.Trouble) {
            return try disk.write(bytes, at: offset)
        } catch {
            throw SystemError("write to", "the log", code: error == .full ? ENOSPC : EIO)
        }
    }

    func synchronize() throws(SystemError) {
        guard process.isAlive else { return }
        let isDone = process.isWorking ? disk.endSynchronization() : disk.synchronizeAll()
        process.world.note(process.name, isDone ? "is synchronised" : "is not synchronised")
        if !isDone { throw SystemError("save", "the log", code: EIO) }
    }

    func truncate(to size: UInt64) throws(SystemError) {
        if process.isAlive { disk.cutOff(after: Int(clamping: size)) }
    }
}
