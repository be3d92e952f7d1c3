internal import CLinux
internal import Glibc

/// The terminal that the user sits at, wherever the standard streams lead, while keys are read from
/// it without being shown. It is as it was once this is gone.
public final class ControllingTerminal {
    /// Where it is.
    public static let path = "/dev/tty"

    private let descriptor: Descriptor
    private let saved: termios

    /// - Throws: ENXIO where there is none.
    public init() throws(SystemError) {
        let flags = O_RDWR | O_NOCTTY | O_CLOEXEC
        let number = try system("open", Self.path) { clinux_open(Self.path, flags, 0) }
        let opened = Descriptor(owning: number ?? -1)
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
        var text = text
        text.withUTF8 {
            try? writeAll(UnsafeRawBufferPointer($0), to: descriptor.number, Self.path)
        }
    }
}
