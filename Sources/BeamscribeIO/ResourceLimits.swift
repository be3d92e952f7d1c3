internal import BeamscribeCore
internal import CLinux
internal import Glibc

/// What the system lets the process have.
public enum ResourceLimits {
    public static var openFiles: Int {
        var limit = rlimit()
        guard getrlimit(files, &limit) == 0 else { return 1_024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// Raises the number of descriptors that may be open as far as the system allows without
    /// privilege, and returns it. Usual defaults (1,024) are below what a full room needs.
    @discardableResult
    public static func raiseOpenFiles() -> Int {
        var limit = rlimit()
        if getrlimit(files, &limit) == 0, limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            setrlimit(files, &limit)
        }
        return openFiles
    }

    /// Whether more descriptors are free than what is beside the connections takes: the transcript's
    /// files, and libdispatch, which looks into /proc now and then and ends the process where it cannot.
    ///
    /// - Parameter descriptor: any that is open.
    static func hasSpareFiles(beside descriptor: Int32) -> Bool {
        // The system gives the lowest number that is free.
        let lowest = clinux_fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard lowest >= 0 else { return false }
        close(lowest)
        return Int(lowest) + Limits.spareFiles < openFiles
    }

    private static let files = __rlimit_resource_t(clamping: RLIMIT_NOFILE.rawValue)
}
