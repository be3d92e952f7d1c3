internal import BeamscribeCore
internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// The file of a host's own long-lived key: `host-key.pem` in the state folder, mode 0600.
///
/// It is made once and never changed. A key that is a link, no file or another user's is not used:
/// somebody else may know it.
public struct HostKeyFile: Sendable {
    private final class Exposure: Sendable {
        let wasFound = Mutex(false)
    }

    private let state: StateFolder
    private let exposure = Exposure()

    /// The file in `state`, whose folder need not be there yet.
    public init(in state: StateFolder) {
        self.state = state
    }

    /// Where the file is.
    public var path: String { state.path + "/host-key.pem" }

    /// Whether ``load()`` or ``create(_:)`` found that others than the owner could read or change
    /// the file. They no longer can, but they may have done so.
    public var wasExposed: Bool { exposure.wasFound.withLock(\.self) }

    /// The file's bytes; nil where there is none.
    public func load() throws(SystemError) -> [UInt8]? {
        // A pipe in its place must not be waited for.
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let number: Int32?
        do throws(SystemError) {
            number = try system("open", path, tolerating: ENOENT) { clinux_open(path, flags, 0) }
        } catch {
            throw error.code == ELOOP ? refusal("a link", error.code) : error
        }
        guard let number else { return nil }
        let descriptor = Descriptor(owning: number)
        try examine(descriptor)
        return try contents(descriptor)
    }

    /// Makes the file, on the disk before this returns. Of several hosts that do so at once the
    /// first wins.
    ///
    /// - Returns: the bytes that are in the file in the end.
    public func create(_ pem: [UInt8]) throws(SystemError) -> [UInt8] {
        try state.make()
        let new = "\(path).\(UUID().uuidString.lowercased())"
        defer { unlink(new) }
        try write(pem, to: new)
        // Unlike rename(2) it leaves a file that is there, and unlike open(2) it makes a whole one.
        try system("make", path, tolerating: EEXIST) { link(new, path) }
        try synchronizeFolder()
        guard let bytes = try load() else { throw SystemError("open", path, code: ENOENT) }
        return bytes
    }

    private func refusal(_ what: String, _ code: Int32) -> SystemError {
        SystemError("use \(what) as the host's key, move it away:", path, code: code)
    }

    /// Refuses what may be somebody else's, and closes what is open to others.
    private func examine(_ descriptor: borrowing Descriptor) throws(SystemError) {
        var information = stat()
        try system("look at", path) { fstat(descriptor.number, &information) }
        guard information.st_mode & S_IFMT == S_IFREG else {
            throw refusal("what is no file", EINVAL)
        }
        guard information.st_uid == geteuid() else {
            throw refusal("another user's file", EPERM)
        }
        guard information.st_size <= Limits.hostKeyFile else {
            throw refusal("so large a file", EFBIG)
        }
        if information.st_mode & 0o077 != 0 {
            try system("close to others", path) { fchmod(descriptor.number, 0o600) }
            exposure.wasFound.withLock { $0 = true }
        }
    }

    private func contents(_ descriptor: borrowing Descriptor) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < Limits.hostKeyFile {
            let count = try system("read", path) {
                read(descriptor.number, &buffer, buffer.count)
            }
            guard let count, count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        return bytes
    }

    private func write(_ pem: [UInt8], to path: String) throws(SystemError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let number = try system("make", path) { clinux_open(path, flags, 0o600) }
        let descriptor = Descriptor(owning: number ?? -1)
        var failure: SystemError?
        pem.withUnsafeBytes { bytes in
            do throws(SystemError) {
                try writeAll(bytes, to: descriptor.number, path)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        try system("save", path) { fsync(descriptor.number) }
    }

    /// Waits until the disk knows the file's name too.
    private func synchronizeFolder() throws(SystemError) {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        let number = try system("open", state.path) { clinux_open(state.path, flags, 0) }
        let descriptor = Descriptor(owning: number ?? -1)
        try system("save", state.path) { fsync(descriptor.number) }
    }
}
