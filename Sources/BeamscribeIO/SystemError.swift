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

    /// An error as the system gave it.
    public init(_ operation: String, _ subject: String = "", code: Int32) {
        self.operation = operation
        self.subject = subject
        self.code = code
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

    /// Whether the address or port is taken.
    public var isAddressInUse: Bool { code == EADDRINUSE }
}

extension SystemError: CustomStringConvertible {
    public var description: String {
        let object = subject.isEmpty ? "" : " \(subject)"
        let advice = refusal.map { "; \($0.advice)" } ?? ""
        return "cannot \(operation)\(object): \(reason)\(advice)"
    }
}
