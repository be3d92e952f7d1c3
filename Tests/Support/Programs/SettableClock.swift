import Foundation

/// A clock that a test sets, for programs that are started with it.
///
/// A library that is loaded before the system's (ld.so(8), `LD_PRELOAD`) adds a file's number of
/// seconds. All other clocks go on, as they do where somebody sets the system's.
public struct SettableClock: Sendable {
    private let folder: TemporaryFolder

    /// Builds the library.
    public init() async throws {
        folder = try TemporaryFolder()
        let source = folder.path(of: "clock.c")
        try Self.source.write(toFile: source, atomically: true, encoding: .utf8)
        try await Tool.run(
            Launch(
                Tool.exists("cc") ? "cc" : "clang", "-shared", "-fPIC", "-o",
                folder.path(of: "clock.so"), source))
    }

    /// The variables that a program needs in its environment.
    public var environment: [String: String] {
        ["LD_PRELOAD": folder.path(of: "clock.so"), "CLOCK_STEP": folder.path(of: "step")]
    }

    /// Sets it to so many seconds off.
    public func set(_ seconds: Int) throws {
        try "\(seconds)".write(toFile: folder.path(of: "step"), atomically: true, encoding: .utf8)
    }

    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <stdlib.h>
        #include <time.h>
        #include <unistd.h>

        int clock_gettime(clockid_t clock, struct timespec *time) {
            static int (*system_clock)(clockid_t, struct timespec *);
            if (!system_clock) system_clock = dlsym(RTLD_NEXT, "clock_gettime");
            int result = system_clock(clock, time);
            const char *path = getenv("CLOCK_STEP");
            if (result || clock != CLOCK_REALTIME || !path) return result;
            char digits[32] = "";
            int file = open(path, O_RDONLY);
            if (file >= 0) {
                if (read(file, digits, sizeof digits - 1) > 0) time->tv_sec += atol(digits);
                close(file);
            }
            return result;
        }
        """
}
