internal import Glibc

/// The one owner of an open file descriptor, which closes it when it goes.
public struct Descriptor: ~Copyable, Sendable {
    /// The descriptor's number, for calls that borrow it.
    public let number: Int32

    /// Takes over `number`, which nobody else may close.
    public init(owning number: Int32) {
        self.number = number
    }

    deinit {
        // An error of close(2) leaves nothing to be done; the number is free in any case.
        _ = close(number)
    }
}
