import Glibc

/// A program could not be started.
public struct SpawnFailed: Error, CustomStringConvertible {
    public let program: String
    public let reason: String

    init(_ program: String, _ reason: String) {
        self.program = program
        self.reason = reason
    }

    init(_ program: String, errno number: Int32) {
        self.init(program, String(cString: strerror(number)))
    }

    public var description: String { "cannot start \(program): \(reason)" }
}
