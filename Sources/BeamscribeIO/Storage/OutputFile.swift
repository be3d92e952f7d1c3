import BeamscribeCore
internal import CLinux
internal import Glibc

/// A file that is written in the order of the calls, by one program at a time.
public struct OutputFile: ~Copyable {
    private let descriptor: Descriptor
    /// The path as it was given.
    public let path: String

    /// Makes the file, which must not be there yet: nobody's transcript is overwritten.
    public init(creating path: String) throws(SystemError) {
        self.path = path
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        descriptor = try Self.open(path, flags, to: "make the file")
    }

    public init(continuing path: String) throws(SystemError) {
        self.path = path
        descriptor = try Self.open(path, O_WRONLY | O_CLOEXEC, to: "open")
    }

    /// Opens the file and takes its lock.
    private static func open(
        _ path: String, _ flags: Int32, to operation: String
    ) throws(SystemError) -> Descriptor {
        let descriptor = try Descriptor(operation, path) { clinux_open(path, flags, 0o644) }
        try system("lock", path) { clinux_lock(descriptor.number) }
        return descriptor
    }

    /// The file's size, in bytes.
    public var size: Int {
        get throws(SystemError) {
            var information = stat()
            try system("look at", path) { fstat(descriptor.number, &information) }
            return Int(information.st_size)
        }
    }

    /// Goes on after the first `size` bytes; what is behind them goes.
    public func rewind(to size: Int) throws(SystemError) {
        try system("cut off the end of", path) { ftruncate(descriptor.number, size) }
        try system("go on in", path) { lseek(descriptor.number, size, SEEK_SET) }
    }

    /// Whether there is a file, or anything else, at `path`.
    public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Fails where nobody could make a file at `path`, whatever its name.
    public static func checkFolder(of path: String) throws(SystemError) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        try system("make a file in", folder) { access(folder, W_OK | X_OK) }
    }

    public func write(_ text: String) throws(SystemError) {
        try writeAll(text, to: descriptor.number, path)
    }

    /// Whether `path` can be the name of a small file that is replaced as a whole: it is free, or
    /// that of a regular file of at most `largest` bytes.
    ///
    /// - Throws: where that cannot be told.
    public static func mayBeReplaced(_ path: String, largest: Int) throws(SystemError) -> Bool {
        var information = stat()
        let found = try system("look at", path, tolerating: ENOENT) { lstat(path, &information) }
        guard found != nil else { return true }
        return information.st_mode & S_IFMT == S_IFREG && Int(information.st_size) <= largest
    }
}
