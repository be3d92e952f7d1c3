internal import CLinux
internal import Glibc

/// The terminal that the user sits at, wherever the standard streams lead, while keys are read from
/// it without being shown. It is as it was once this is gone.
public final class ControllingTerminal {
    /// Where it is.
    public static let path = "/dev/tty"

    /// Whether there is one.
    public static var isThere: Bool { (try? open(O_WRONLY)) != nil }

    /// Shows `text` on it.
    public static func show(_ text: String) throws(SystemError) {
        let terminal = try open(O_WRONLY)
        try writeAll(text, to: terminal.number, path)
    }

    static func open(_ access: Int32) throws(SystemError) -> Descriptor {
        let number = try system("open", path) {
            clinux_open(path, access | O_NOCTTY | O_CLOEXEC, 0)
        }
        return Descriptor(owning: number ?? -1)
    }

    private let descriptor: Descriptor
    private let saved: termios

    /// - Throws: ENXIO where there is none.
    public init() throws(SystemError) {
        let opened = try Self.open(O_RDWR)
        var attributes = termios()
        try system("look at", Self.path) { tcgetattr(opened.number, &attributes) }
        descriptor = opened
        saved = attributes
        // What was typed before the question is no answer, and Ctrl-C still interrupts.
        attributes.c_lflag &= ~tcflag_t(ICANON | ECHO)
        attributes.c_lflag |= tcflag_t(NOFLSH)
        tcsetattr(descriptor.number, TCSAFLUSH, &attributes)
    }

    deinit {
        var saved = saved
        // What is left of a code that nobody has read is not for the shell, either.
        tcsetattr(descriptor.number, TCSAFLUSH, &saved)
    }

    /// Shows `text`.
    public func write(_ text: String) {
        try? writeAll(text, to: descriptor.number, Self.path)
    }
}
