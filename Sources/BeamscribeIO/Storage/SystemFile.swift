import BeamscribeCore
internal import CLinux
internal import Glibc

/// A file of the system's.
final class SystemFile: File {
    private let path: String
    private let descriptor: Descriptor

    /// - Parameter path: for messages.
    init(_ descriptor: consuming Descriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens a file to read it, wherever it is. Pipes and devices are none: they may have no end.
    convenience init(reading path: String) throws(SystemError) {
        let descriptor = try Descriptor("open", path) {
            clinux_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
        }
        var information = stat()
        try system("look at", path) { fstat(descriptor.number, &information) }
        guard information.st_mode & S_IFMT == S_IFREG else {
            throw SystemError("read", path, code: ENOTSUP)
        }
        self.init(descriptor, path: path)
    }

    func lock() throws(SystemError) -> Bool {
        try system("lock", path, tolerating: EAGAIN, EACCES) { clinux_lock(descriptor.number) }
            != nil
    }

    var isLockedByAnother: Bool { clinux_is_locked(descriptor.number) == 1 }

    func status() throws(SystemError) -> (size: UInt64, modified: Double) {
        var information = stat()
        try system("look at", path) { fstat(descriptor.number, &information) }
        let time = information.st_mtim
        return (
            UInt64(clamping: information.st_size), Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        )
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(SystemError) -> Int {
        try system("read", path) {
            pread(descriptor.number, buffer.baseAddress, buffer.count, Int(clamping: offset))
        } ?? 0
    }

    func write(
        _ bytes: UnsafeRawBufferPointer, at offset: UInt64
    ) throws(SystemError) -> Int {
        try system("write to", path) {
            pwrite(descriptor.number, bytes.baseAddress, bytes.count, Int(clamping: offset))
        } ?? 0
    }

    func synchronize() throws(SystemError) {
        try system("save", path) { fdatasync(descriptor.number) }
    }

    func truncate(to size: UInt64) throws(SystemError) {
        // The system would take that for a change, and the time of the last one counts.
        guard try status().size != size else { return }
        try system("cut off the end of", path) { ftruncate(descriptor.number, Int(clamping: size)) }
    }
}
