import BeamscribeCore
internal import CLinux
internal import Glibc

/// The one owner of an open file descriptor, which closes it when it goes.
public struct Descriptor: ~Copyable, Sendable {
    /// The descriptor's number, for calls that borrow it.
    public let number: Int32

    /// Takes over `number`, which nobody else may close.
    public init(owning number: Int32) {
        self.number = number
    }

    /// Takes over what a call of the system opens.
    init(
        _ operation: @autoclosure () -> String, _ subject: @autoclosure () -> String = "",
        call: () -> Int32
    ) throws(SystemError) {
        number = try system(operation(), subject(), call: call) ?? -1
    }

    /// Whether it is a folder, whatever its path leads to by now.
    var isFolder: Bool {
        var information = stat()
        return fstat(number, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether it is a named pipe, or another one.
    var isPipe: Bool {
        var information = stat()
        return fstat(number, &information) == 0 && information.st_mode & S_IFMT == S_IFIFO
    }

    deinit {
        // An error of close(2) leaves nothing to be done; the number is free in any case.
        _ = close(number)
    }
}

/// The three descriptors that every program is started with.
public enum StandardStreams {
    /// Opens /dev/null in place of those that the program was started without, so that no file of
    /// its own gets their numbers and is read or written in their stead.
    public static func fillIn() {
        for number in Int32(0)...2 where clinux_fcntl(number, F_GETFD, 0) < 0 {
            _ = clinux_open("/dev/null", O_RDWR, 0)
        }
    }
}
