import BeamscribeCore
internal import CLinux
internal import Glibc

/// Files that are read and written whole: records, settings, what the kernel tells in /sys.
public enum SmallFile {
    /// The file's bytes, `limit` at most.
    public static func read(
        _ path: String, limit: Int = 1_048_576
    ) throws(SystemError) -> [UInt8] {
        let file = try Descriptor("open", path) { clinux_open(path, O_RDONLY | O_CLOEXEC, 0) }
        return try read(file, path, limit: limit)
    }

    static func read(
        _ descriptor: consuming Descriptor, _ path: String, limit: Int
    ) throws(SystemError) -> [UInt8] {
        let number = descriptor.number
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < limit {
            let wanted = min(buffer.count, limit - bytes.count)
            let count = try system("read", path) {
                Glibc.read(number, &buffer, wanted)
            }
            guard let count, count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        return bytes
    }

    /// Replaces the file by one with these bytes: whoever reads it, even after a loss of power,
    /// finds the old or the new ones whole.
    ///
    /// - Parameters:
    ///   - durably: whether the new bytes are on the disk when this returns.
    ///   - isPrivate: whether only its owner may read it (mode 0600), or everybody whom the umask
    ///     does not forbid it.
    public static func replace(
        _ path: String, with bytes: [UInt8], durably: Bool, isPrivate: Bool = true
    ) throws(SystemError) {
        try replace(
            AT_FDCWD, path, path, with: bytes, durably: durably, isPrivate: isPrivate)
    }

    /// - Parameters:
    ///   - directory: an open folder, or AT_FDCWD.
    ///   - name: the file's path from there.
    ///   - path: what it is called in errors.
    static func replace(
        _ directory: Int32, _ name: String, _ path: String, with bytes: [UInt8], durably: Bool,
        isPrivate: Bool = true
    ) throws(SystemError) {
        let (newName, new) = (name + ".new", path + ".new")
        // What an interrupted run has left, or somebody else has put there and may have open or
        // made a link, is not written to: O_EXCL wants a file that is new.
        try system("remove", new, tolerating: ENOENT) { unlinkat(directory, newName, 0) }
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let mode: UInt32 = isPrivate ? 0o600 : 0o644
        let descriptor = try Descriptor("write", new) {
            clinux_openat(directory, newName, flags, mode)
        }
        var isDone = false
        // What is not whole would take room from what is tried next on a full disk.
        defer { if !isDone { unlinkat(directory, newName, 0) } }
        // open(2) takes the umask off the mode, even the owner's own rights.
        if isPrivate {
            try system("close to others", new) { fchmod(descriptor.number, 0o600) }
        }
        let number = descriptor.number
        try bytes.span.withUnsafeBytes { raw throws(SystemError) in
            try writeAll(raw, to: number, new)
        }
        if durably { try system("save", new) { fdatasync(descriptor.number) } }
        try system("replace", path) {
            renameat(directory, newName, directory, name)
        }
        isDone = true
    }

    /// Removes the file; one that is not there is fine.
    public static func remove(_ path: String) throws(SystemError) {
        try system("remove", path, tolerating: ENOENT) { unlink(path) }
    }

    /// The names in a folder, without "." and ".."; none where there is no such folder.
    public static func names(in folder: String) -> [String] {
        opendir(folder).map { names(in: $0) } ?? []
    }

    /// Whether a folder stands at `path`, or a link to one.
    public static func isFolder(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
    }

    /// - Parameter stream: closed when this returns.
    static func names(in stream: OpaquePointer) -> [String] {
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
