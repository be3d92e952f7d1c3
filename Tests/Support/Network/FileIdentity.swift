import Glibc

/// Which file it is, whatever name it is reached by.
struct FileIdentity: Sendable, Equatable {
    let device: UInt
    let inode: UInt

    init?(_ path: String) {
        var info = Glibc.stat()
        guard stat(path, &info) == 0 else { return nil }
        device = info.st_dev
        inode = info.st_ino
    }
}
