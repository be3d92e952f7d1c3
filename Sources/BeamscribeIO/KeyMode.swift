internal import Glibc

/// Keys as they are pressed, not shown, while this lives; Ctrl-C still interrupts.
public struct KeyMode: ~Copyable {
    private let saved: termios

    /// Changes the terminal that standard input is. Nil if it is none.
    public init?() {
        var attributes = termios()
        guard tcgetattr(0, &attributes) == 0 else { return nil }
        saved = attributes
        apply()
    }

    /// Sets the mode again, after a shell has had the terminal.
    public borrowing func apply() {
        var changed = saved
        changed.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // With Ctrl-C Linux sends the signal and then drops what waits for the terminal: the last
        // words of a program that was quicker, and its cursor.
        changed.c_lflag |= tcflag_t(NOFLSH)
        tcsetattr(0, TCSANOW, &changed)
    }

    deinit {
        var saved = saved
        tcsetattr(0, TCSANOW, &saved)
    }
}
