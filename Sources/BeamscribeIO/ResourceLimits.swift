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

    private static let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
}
