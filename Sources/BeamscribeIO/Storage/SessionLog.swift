internal import CLinux
internal import Glibc

/// The file that holds a session's lines. Whoever writes it holds its lock.
public final class SessionLog: Sendable {
    public let path: String
    private let descriptor: Descriptor

    /// The log in a session's folder. Of a new log, what an earlier try to make it has left is fine.
    init(in folder: PrivateFolder, for purpose: PrivateFolder.Purpose) throws(SystemError) {
        path = folder.path + "/log"
        descriptor = try folder.file("log", for: purpose)
    }

    /// A log wherever it is, which is only read; another program may be writing it.
    public init(reading path: String) throws(SystemError) {
        self.path = path
        descriptor = try Descriptor("open", path) { clinux_open(path, O_RDONLY | O_CLOEXEC, 0) }
    }

    /// Takes the lock, which lasts as long as this does. False where another program has it.
    func lock() throws(SystemError) -> Bool {
        try system("lock", path, tolerating: EAGAIN, EACCES) { clinux_lock(descriptor.number) }
            != nil
    }

    public var isLockedByAnother: Bool { clinux_is_locked(descriptor.number) == 1 }

    /// The log's size in bytes, and when it was last written, in seconds since 1970.
    public func status() throws(SystemError) -> (size: UInt64, modified: Double) {
        var information = stat()
        try system("look at", path) { fstat(descriptor.number, &information) }
        let time = information.st_mtim
        return (UInt64(information.st_size), Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    }

    /// Reads the log piece by piece, about 2,000 lines each.
    ///
    /// - Parameter piece: gets bytes that are valid during the call, none at the end, and where they
    ///   lie, and returns the offset of the bytes that it wants next; nil to stop.
    public func readAll(
        _ piece: (UnsafeRawBufferPointer, UInt64) -> UInt64?
    ) throws(SystemError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 16)
        defer { buffer.deallocate() }
        var next: UInt64? = 0
        while let offset = next {
            let count = try system("read", path) {
                pread(descriptor.number, buffer.baseAddress, buffer.count, Int(offset))
            }
            next = piece(UnsafeRawBufferPointer(rebasing: buffer[..<(count ?? 0)]), offset)
        }
    }

    /// The bytes from `offset` to the end, `limit` at most.
    public func bytes(from offset: UInt64, limit: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = try system("read", path) {
            pread(descriptor.number, &bytes, limit, Int(offset))
        }
        return Array(bytes.prefix(count ?? 0))
    }

    /// Writes `bytes` at `offset`.
    ///
    /// - Returns: how many the file system took.
    public func write(
        _ bytes: UnsafeRawBufferPointer, at offset: UInt64
    ) throws(SystemError) -> Int {
        try system("write to", path) {
            pwrite(descriptor.number, bytes.baseAddress, bytes.count, Int(offset))
        } ?? 0
    }

    /// Waits until the disk has what was written (fdatasync(2)).
    public func synchronize() throws(SystemError) {
        try system("save", path) { fdatasync(descriptor.number) }
    }

    /// Cuts off what lies behind `size` bytes.
    public func truncate(to size: UInt64) throws(SystemError) {
        try system("cut off the end of", path) { ftruncate(descriptor.number, Int(size)) }
    }
}
