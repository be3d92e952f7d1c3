import BeamscribeCore
internal import CLinux
internal import Glibc

/// The terminal that the program runs in.
public enum Terminal {
    /// A standard stream.
    public enum Stream: Int32, Sendable {
        case input = 0
        case output = 1
        case error = 2
    }

    /// Whether a stream is a terminal.
    public static func isTerminal(_ stream: Stream) -> Bool {
        isatty(stream.rawValue) == 1
    }

    /// Whether a stream is a pipe (inode(7)); the journal of a service is a socket.
    public static func isPipe(_ stream: Stream) -> Bool {
        var status = stat()
        return fstat(stream.rawValue, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    /// Whether a stream is the terminal that the user sits at, which may be another's job to read.
    public static func isControlling(_ stream: Stream) -> Bool {
        isTerminal(stream) && tcgetsid(stream.rawValue) >= 0
    }

    /// Whether whoever started this program wants it to go on unattended: a shell without job
    /// control has a command that ends in `&` ignore interrupts (POSIX, 2.11), and nohup(1) has it
    /// ignore that its terminal goes.
    public static let isUnattended = [SIGINT, SIGHUP].contains { number in
        var action = sigaction()
        // A handler is a union with the function itself; the default and "ignore" are numbers.
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler, to: Int.self) == 1
    }

    /// The size of the terminal that standard output is; nil if it is none, or does not say.
    public static var size: (columns: Int, rows: Int)? { size(of: .output) }

    /// The size of the terminal that a stream is; nil if it is none, or does not say.
    public static func size(of stream: Stream) -> (columns: Int, rows: Int)? {
        size(of: stream.rawValue)
    }

    static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
        var size = winsize()
        guard clinux_window_size(descriptor, &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// How many bytes wait to be written to standard error or output is not our business: writes
    /// `text` whole to `stream`, however long that takes.
    ///
    /// - Throws: the system's error; EPIPE when the reader has gone.
    public static func write(_ text: String, to stream: Stream) throws(SystemError) {
        try writeAll(text, to: stream.rawValue, "the output")
    }
}

/// Writes all of `text`; waits where the descriptor would block.
func writeAll(
    _ text: String, to descriptor: Int32, _ subject: String
) throws(SystemError) {
    var text = text
    let outcome = text.withUTF8 { bytes in
        Result { () throws(SystemError) in
            try writeAll(UnsafeRawBufferPointer(bytes), to: descriptor, subject)
        }
    }
    try outcome.get()
}

/// Writes all of `bytes`; waits where the descriptor would block.
func writeAll(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ subject: String
) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = try system("write to", subject, tolerating: EAGAIN) {
            Glibc.write(descriptor, bytes.baseAddress! + rest.startIndex, rest.count)
        }
        guard let count else {
            var waiting = pollfd(fd: descriptor, events: Int16(clamping: POLLOUT), revents: 0)
            poll(&waiting, 1, -1)
            continue
        }
        rest = rest.dropFirst(count)
    }
}
