import BeamscribeCore
internal import Glibc

/// Ctrl-Z for a program that has to give the terminal back before it is suspended.
public enum SuspendKey {
    /// Lets Ctrl-Z arrive as a key, on the terminal that standard input is. Whoever restores the
    /// terminal's attributes undoes this.
    public static func disable() {
        var attributes = termios()
        guard tcgetattr(0, &attributes) == 0 else { return }
        // 0 is _POSIX_VDISABLE on Linux: no key at all.
        withUnsafeMutableBytes(of: &attributes.c_cc) { $0[Int(VSUSP)] = 0 }
        tcsetattr(0, TCSANOW, &attributes)
    }

    /// Suspends the job as the key would have, and returns once it goes on: at once where there is
    /// no shell that could continue it (then the kernel passes the signal over; POSIX, section
    /// 2.4.3).
    public static func suspend() {
        kill(0, SIGTSTP)
        // Another thread may take the signal. Until it has stopped this one, nothing is to be done
        // with a terminal that is somebody else's.
        poll(nil, 0, 50)
    }
}
