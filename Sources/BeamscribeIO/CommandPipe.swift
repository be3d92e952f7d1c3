internal import CLinux
internal import Glibc

/// A named pipe to which other programs write commands, a line each.
///
/// It is made where there is none, for its owner alone, and goes with this value then. It holds the pipe open for writing, too: one
/// program's end is not the end of all, and what another says meanwhile is not lost.
///
/// Invariant: at most `limit` bytes of a line that has not ended are kept.
public final class CommandPipe {
    private let made: String?
    private var source: ByteSource?
    private var line: [UInt8] = []
    private var isTooLong = false
    private let take: (String?) -> Void

    private static let limit = 512

    /// - Parameter take: gets each line, or nil for one that is too long.
    public init(
        path: String, on loop: EventLoop, _ take: @escaping (String?) -> Void
    ) throws(SystemError) {
        self.take = take
        let isNew = try system("make the named pipe", path, tolerating: EEXIST) {
            mkfifo(path, 0o600)
        }
        made = isNew == nil ? nil : path
        let descriptor = try Descriptor("open", path) {
            clinux_open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC, 0)
        }
        guard descriptor.isPipe else { throw SystemError("take commands from", path, code: ESPIPE) }
        source = try ByteSource(
            reading: descriptor, path, size: 4_096, on: loop, { [unowned self] in read($0) },
            ended: { _ in })
    }

    deinit {
        if let made { unlink(made) }
    }

    private func read(_ bytes: UnsafeRawBufferPointer) -> Int {
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                isTooLong = isTooLong || line.count == Self.limit
                if !isTooLong { line.append(byte) }
                continue
            }
            take(isTooLong ? nil : String(decoding: line, as: UTF8.self))
            (line, isTooLong) = ([], false)
        }
        return bytes.count
    }
}
