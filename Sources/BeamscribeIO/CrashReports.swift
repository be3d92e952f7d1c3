internal import Glibc

/// What happens when the program crashes.
public enum CrashReports {
    private static let signals = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP]

    /// Has the program end as any other does, and the system keep what it keeps of that (core(5)).
    /// Swift's runtime would show what is for developers alone, and ask whoever sits at the terminal
    /// to press a key; with SWIFT_BACKTRACE set it still does.
    public static func leaveToSystem() {
        guard getenv("SWIFT_BACKTRACE") == nil else { return }
        for number in signals {
            var action = sigaction()
            guard sigaction(number, nil, &action) == 0 else { continue }
            // Those that whoever started this wants ignored stay so.
            guard unsafeBitCast(action.__sigaction_handler, to: Int.self) > 1 else { continue }
            signal(number, SIG_DFL)
        }
    }
}
