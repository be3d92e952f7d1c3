import BeamscribeCore
internal import CLinux
internal import Glibc

/// What is left on a file system (statvfs(3)).
public struct DiskSpace: Equatable, Sendable {
    /// The bytes that this user may still write.
    public var bytes: UInt64
    /// Whether there can be another file.
    public var hasFiles = true

    /// What is left where `path` is, which must exist.
    public static func of(_ path: String) throws(SystemError) -> DiskSpace {
        var information = statvfs()
        try system("look at the file system of", path) { statvfs(path, &information) }
        // File systems without a fixed number of files say that they have none at all.
        let hasFiles = information.f_files == 0 || information.f_favail > 0
        return DiskSpace(
            bytes: UInt64(information.f_bavail) * UInt64(information.f_frsize),
            hasFiles: hasFiles)
    }
}
