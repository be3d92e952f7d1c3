import BeamscribeCore
internal import Glibc

/// The terminal that the operator sits at, wherever the standard streams lead: keys are read from
/// it as they are pressed, and what is drawn goes to it alone.
///
/// A program in the background must not touch its terminal: the system would stop it (SIGTTIN,
/// SIGTTOU, termios(3)). So the mode is changed in the foreground only, and only there given back.
///
/// Invariant: the terminal is in the mode for keys from ``takeKeys()`` until ``giveBack()``.
public final class ConsoleTerminal: Sendable {
    private let descriptor: Descriptor
    private let saved: termios

    /// - Throws: ENXIO where there is none.
    public init() throws(SystemError) {
        let opened = try ControllingTerminal.open(O_RDWR)
        var attributes = termios()
        try system("look at", ControllingTerminal.path) { tcgetattr(opened.number, &attributes) }
        descriptor = opened
        saved = attributes
    }

    /// From now on a touch of the terminal that comes too late, when the program is in the
    /// background already, is an error and does not stop the program.
    public static func ignoreStops() {
        signal(SIGTTIN, SIG_IGN)
        signal(SIGTTOU, SIG_IGN)
    }

    /// Whether this program is one that the user works with now, and not in the background.
    public var isInForeground: Bool { tcgetpgrp(descriptor.number) == getpgrp() }

    /// Has keys come as they are pressed, and not shown; Ctrl-C and Ctrl-\ still signal. Ctrl-Z is a
    /// key, so that what is drawn can be taken away before ``suspend()``.
    public func takeKeys() {
        var attributes = saved
        // Without IEXTEN Ctrl-V and Ctrl-O are keys like others.
        attributes.c_lflag &= ~tcflag_t(clamping: ICANON | ECHO | IEXTEN)
        attributes.c_lflag |= tcflag_t(clamping: NOFLSH)
        // Nor does Ctrl-S stop what is written: nobody would know why nothing moves.
        attributes.c_iflag &= ~tcflag_t(clamping: IXON)
        // _POSIX_VDISABLE: no character is this one.
        withUnsafeMutableBytes(of: &attributes.c_cc) { $0[Int(VSUSP)] = 0 }
        tcsetattr(descriptor.number, TCSANOW, &attributes)
    }

    /// Leaves the terminal as it was found.
    public func giveBack() {
        guard isInForeground else { return }
        var attributes = saved
        tcsetattr(descriptor.number, TCSANOW, &attributes)
    }

    /// Does what Ctrl-Z does: stops this program, and all that run with it, until the user goes on.
    public func suspend() {
        kill(0, SIGTSTP)
    }

    /// The screen's size; nil where the terminal does not say.
    public var size: (columns: Int, rows: Int)? {
        Terminal.size(of: descriptor.number)
    }

    /// Shows `text`. A terminal that is gone sends a hang-up, which ends the program.
    public func write(_ text: String) {
        try? writeAll(text, to: descriptor.number, ControllingTerminal.path)
    }
}
