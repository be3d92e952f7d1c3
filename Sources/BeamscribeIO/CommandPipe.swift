import BeamscribeCore
internal import CLinux
internal import Glibc

/// A named pipe to which other programs write commands, a line each.
///
/// It is made where there is none, for its owner alone, and goes with this value then. One that is there has to be its user's
/// own: what somebody else has made he may write to, whoever else may not. It holds the pipe open for writing, too: one
/// program's end is not the end of all, and what another says meanwhile is not lost. No other program reads there
/// meanwhile: the two would get the lines by chance.
///
/// Invariant: at most `limit` bytes of a line that has not ended are kept.
public final class CommandPipe {
    /// What was made here: its path, and which file that was.
    private let made: (path: String, file: FileIdentity)?
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
        let descriptor = try Descriptor("open", path) {
            clinux_open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC, 0)
        }
        let file = FileIdentity(of: descriptor)
        guard descriptor.isPipe, let file else {
            throw SystemError("take commands from", path, code: ESPIPE)
        }
        guard file.owner == geteuid() || file.owner == 0 else {
            throw SystemError(
                "take commands from", path, code: EPERM,
                refusal: Refusal(
                    reason: "it belongs to somebody else", advice: "give another path"))
        }
        guard flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 else {
            throw SystemError(
                "take commands from", path, code: EBUSY,
                refusal: Refusal(
                    reason: "another program takes them already", advice: "give another path"))
        }
        made = isNew == nil ? nil : (path, file)
        source = try ByteSource(
            reading: descriptor, path, size: 4_096, on: loop, { [unowned self] in read($0) },
            ended: { _ in })
    }

    deinit {
        if let made, FileIdentity(at: made.path) == made.file { unlink(made.path) }
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

/// Which file something is, whatever its path leads to by now.
private struct FileIdentity: Equatable {
    private let device: dev_t
    private let number: ino_t
    /// Whose it is.
    let owner: uid_t

    init?(of descriptor: borrowing Descriptor) {
        var information = stat()
        guard fstat(descriptor.number, &information) == 0 else { return nil }
        self.init(information)
    }

    init?(at path: String) {
        var information = stat()
        guard lstat(path, &information) == 0 else { return nil }
        self.init(information)
    }

    private init(_ information: stat) {
        (device, number, owner) = (information.st_dev, information.st_ino, information.st_uid)
    }
}
