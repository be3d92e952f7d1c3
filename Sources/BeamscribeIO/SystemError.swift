internal import Glibc

/// A call of the operating system that failed: what was tried, on what, and the system's reason.
public struct SystemError: Error, Equatable {
    /// What was tried, as it goes on after "cannot": "listen on".
    public var operation: String
    /// On what: "port 23267". May be empty.
    public var subject: String
    /// The system's error number (errno(3)).
    public var code: Int32
    /// Why the program itself would not go on, where it was not the system that refused.
    public var refusal: Refusal?

    /// What was tried (`open`), with what, and the system's `errno`.
    public init(
        _ operation: String, _ subject: String = "", code: Int32, refusal: Refusal? = nil
    ) {
        self.operation = operation
        self.subject = subject
        self.code = code
        self.refusal = refusal
    }

    /// A file is there already.
    public static func fileExists(_ operation: String, _ subject: String) -> SystemError {
        SystemError(operation, subject, code: EEXIST)
    }

    /// A file was changed or lost by others (the system calls such a handle stale).
    public static func isNotAsItWas(_ operation: String, _ subject: String) -> SystemError {
        SystemError(operation, subject, code: ESTALE)
    }

    /// The reason in words: the program's own, or else the system's.
    public var reason: String { refusal?.reason ?? String(cString: strerror(code)) }

    /// Whether no descriptor is left, for this process or for the system.
    public var isDescriptorExhaustion: Bool { code == EMFILE || code == ENFILE }

    /// Whether another program holds the file's lock.
    public var isLocked: Bool { code == EAGAIN || code == EACCES }

    /// Whether the reader has gone.
    public var isBrokenPipe: Bool { code == EPIPE }

    /// Whether the other machine answered that nobody listens there.
    public var isConnectionRefused: Bool { code == ECONNREFUSED }

    /// Whether the other side ended the connection, or was found not to have it any more.
    public var isConnectionReset: Bool { code == ECONNRESET || code == EPIPE }

    /// Whether there is no room left, on the disk or for this user.
    public var isDiskFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

    /// Whether somebody else has the port.
    public var isAddressInUse: Bool { code == EADDRINUSE }

    /// Whether somebody else could do it.
    public var isPermission: Bool { code == EACCES || code == EPERM }

    /// Whether the address is not this machine's, or not yet: an IPv6 address is looked for on the
    /// network for a second or two before it may be used (RFC 4862, section 5.4).
    public var isAddressNotReady: Bool { code == EADDRNOTAVAIL }
}

/// Why the program would not use something that the system would let it use.
public struct Refusal: Equatable, Sendable {
    /// What is wrong, as it goes on after a colon: "it is a symbolic link".
    public var reason: String
    /// What to do, as it goes on after a semicolon.
    public var advice: String

    /// Why, and what to do.
    public init(reason: String, advice: String) {
        (self.reason, self.advice) = (reason, advice)
    }
}

extension SystemError: CustomStringConvertible {
    public var description: String {
        let object = subject.isEmpty ? "" : " \(subject)"
        let advice = refusal.map { $0.advice.isEmpty ? "" : "; \($0.advice)" } ?? ""
        return "cannot \(operation)\(object): \(reason)\(advice)"
    }
}
