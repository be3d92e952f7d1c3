import BeamscribeCore
internal import CLinux
internal import FoundationEssentials
internal import Glibc

/// A folder of the state folder, held open: whatever happens to its path, what is done in it is
/// done in it.
///
/// It and everything in it is this user's alone. Links are never followed, nothing is opened that
/// is no folder or regular file, or that somebody else owns, and modes are 0700 and 0600 whatever
/// the umask says. What lies above the state folder is the user's affair.
final class PrivateFolder: Folder {
    let path: String
    private let descriptor: Descriptor

    /// Opens the folder at `path`, whose folders above may be links.
    convenience init(_ path: String, for purpose: OpenPurpose) throws(SystemError) {
        try self.init(AT_FDCWD, path, path, purpose)
    }

    func folder(_ name: String, for purpose: OpenPurpose) throws(SystemError) -> any Folder {
        try PrivateFolder(descriptor.number, name, "\(path)/\(name)", purpose)
    }

    private init(
        _ directory: Int32, _ name: String, _ path: String, _ purpose: OpenPurpose
    ) throws(SystemError) {
        self.path = path
        if case .make = purpose { try Self.make(directory, name, path) }
        descriptor = try Self.open(directory, name, path, as: .folder, O_RDONLY, purpose)
    }

    /// Makes a folder. mkdir(2) takes the umask off the mode, even the owner's own rights.
    private static func make(
        _ directory: Int32, _ name: String, _ path: String
    ) throws(SystemError) {
        let made = try system("make the folder", path, tolerating: EEXIST) {
            mkdirat(directory, name, 0o700)
        }
        guard made != nil else { return }
        try system("close to others", path) {
            fchmodat(directory, name, 0o700, AT_SYMLINK_NOFOLLOW)
        }
    }

    func file(_ name: String, for purpose: OpenPurpose) throws(SystemError) -> any File {
        SystemFile(try descriptor(of: name, for: purpose), path: "\(path)/\(name)")
    }

    /// Opens a file in this folder, to read it and, unless that is all, to write it.
    func descriptor(
        of name: String, for purpose: OpenPurpose
    ) throws(SystemError) -> Descriptor {
        let flags: Int32 =
            switch purpose {
            case .read: O_RDONLY
            case .write: O_RDWR
            case .make: O_RDWR | O_CREAT
            }
        return try Self.open(descriptor.number, name, "\(path)/\(name)", as: .file, flags, purpose)
    }

    func read(_ name: String, limit: Int) throws(SystemError) -> [UInt8] {
        try SmallFile.read(try descriptor(of: name, for: .read), "\(path)/\(name)", limit: limit)
    }

    /// Whether others than its owner could read or change a file. Now they cannot.
    func closeToOthers(_ name: String) throws(SystemError) -> Bool {
        let mode = FileStatus(at: descriptor.number, name)?.mode ?? 0
        guard mode & 0o077 != 0 else { return false }
        _ = try descriptor(of: name, for: .write)
        return true
    }

    /// Makes a file with these bytes, on the disk before this returns. One that is there stays as it
    /// is: of several programs that do so at once the first wins.
    func makeOnce(_ name: String, with bytes: [UInt8]) throws(SystemError) {
        let new = "\(name).\(UUID().uuidString.lowercased())"
        defer { unlinkat(descriptor.number, new, 0) }
        try replace(new, with: bytes, durably: true)
        // Unlike rename(2) it leaves a file that is there, and unlike open(2) it makes a whole one.
        try system("make", "\(path)/\(name)", tolerating: EEXIST) {
            linkat(descriptor.number, new, descriptor.number, name, 0)
        }
        try synchronize()
    }

    func replace(_ name: String, with bytes: [UInt8], durably: Bool) throws(SystemError) {
        try SmallFile.replace(
            descriptor.number, name, "\(path)/\(name)", with: bytes, durably: durably)
    }

    func remove(_ name: String) throws(SystemError) {
        let isFolder = FileStatus(at: descriptor.number, name)?.kind == .folder
        try system("remove", "\(path)/\(name)", tolerating: ENOENT) {
            unlinkat(descriptor.number, name, isFolder ? AT_REMOVEDIR : 0)
        }
    }

    func names() -> [String] {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        let number = clinux_openat(descriptor.number, ".", flags, 0)
        guard number >= 0 else { return [] }
        guard let stream = fdopendir(number) else {
            close(number)
            return []
        }
        return SmallFile.names(in: stream)
    }

    func synchronize(_ name: String) throws(SystemError) {
        let file = try descriptor(of: name, for: .read)
        try system("save", "\(path)/\(name)") { fdatasync(file.number) }
    }

    func synchronize() throws(SystemError) {
        try system("save", path) { fsync(descriptor.number) }
    }

    // MARK: Checking

    private static func open(
        _ directory: Int32, _ name: String, _ path: String, as kind: FileStatus.Kind,
        _ flags: Int32, _ purpose: OpenPurpose
    ) throws(SystemError) -> Descriptor {
        // Without O_NONBLOCK the open of a FIFO would wait for its other end.
        var flags = flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        if kind == .folder { flags |= O_DIRECTORY }
        let isWritten = if case .read = purpose { false } else { true }
        do throws(SystemError) {
            let descriptor = try Descriptor("open", path) {
                clinux_openat(directory, name, flags, 0o600)
            }
            var information = stat()
            try system("look at", path) { fstat(descriptor.number, &information) }
            let status = FileStatus(information)
            if let error = refusal(status, path, kind, isWritten) { throw error }
            if isWritten { try narrow(descriptor, status, path) }
            return descriptor
        } catch {
            // What the system says of a link or a device does not tell what is wrong.
            if error.refusal == nil, let status = FileStatus(at: directory, name),
                let refused = refusal(status, path, kind, isWritten)
            {
                throw refused
            }
            throw error
        }
    }

    private static func refusal(
        _ status: FileStatus, _ path: String, _ kind: FileStatus.Kind, _ isWritten: Bool
    ) -> SystemError? {
        status.error(for: path, as: kind, isWritten: isWritten, user: geteuid())
    }

    /// Gives the mode that it should have been made with.
    private static func narrow(
        _ descriptor: borrowing Descriptor, _ status: FileStatus, _ path: String
    ) throws(SystemError) {
        let mode: UInt32 = status.kind == .folder ? 0o700 : 0o600
        guard status.mode != mode else { return }
        let number = descriptor.number
        try system("close to others", path) { fchmod(number, mode) }
    }
}
