internal import CLinux
internal import Glibc

/// Files that are read and written whole: records, settings, what the kernel tells in /sys.
public enum SmallFile {
    /// The file's bytes, `limit` at most.
    public static func read(
        _ path: String, limit: Int = 1_048_576
    ) throws(SystemError) -> [UInt8] {
        let number = try system("open", path) { clinux_open(path, O_RDONLY | O_CLOEXEC, 0) }
        let descriptor = Descriptor(owning: number ?? -1)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < limit {
            let wanted = min(buffer.count, limit - bytes.count)
            let count = try system("read", path) {
                Glibc.read(descriptor.number, &buffer, wanted)
            }
            guard let count, count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        return bytes
    }

    /// Replaces the file by one with these bytes: whoever reads it, even after a loss of power,
    /// finds the old or the new ones whole.
    ///
    /// - Parameter durably: whether the new bytes are on the disk when this returns.
    public static func replace(
        _ path: String, with bytes: [UInt8], durably: Bool
    ) throws(SystemError) {
        let new = path + ".new"
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
        let number = try system("write", new) { clinux_open(new, flags, 0o600) }
        let descriptor = Descriptor(owning: number ?? -1)
        var failure: SystemError?
        bytes.withUnsafeBytes { raw in
            do throws(SystemError) {
                try writeAll(raw, to: descriptor.number, new)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        if durably { try system("save", new) { fdatasync(descriptor.number) } }
        try system("replace", path) { rename(new, path) }
    }

    /// Removes the file; one that is not there is fine.
    public static func remove(_ path: String) throws(SystemError) {
        try system("remove", path, tolerating: ENOENT) { unlink(path) }
    }

    /// The names in a folder, without "." and ".."; none where there is no such folder.
    public static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
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
