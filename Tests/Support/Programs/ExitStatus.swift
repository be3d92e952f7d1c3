import Glibc

/// How a program ended.
public enum ExitStatus: Sendable, Equatable, CustomStringConvertible {
    case exited(Int32)
    case signalled(Int32)

    public static let success = ExitStatus.exited(0)

    /// The exit code, nil if a signal ended the program.
    public var code: Int32? {
        if case .exited(let code) = self { code } else { nil }
    }

    public var description: String {
        switch self {
        case .exited(let code): "exit code \(code)"
        case .signalled(let number): "signal \(number) (\(String(cString: strsignal(number))))"
        }
    }

    /// Blocks until process `pid` has ended, and leaves it to be reaped: until then its id cannot
    /// become another process's.
    static func ofEnded(_ pid: pid_t) -> ExitStatus {
        var info = siginfo_t()
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) == -1 {
            precondition(errno == EINTR, "someone else reaped process \(pid)")
        }
        let number = info._sifields._sigchld.si_status
        return info.si_code == Int32(CLD_EXITED) ? .exited(number) : .signalled(number)
    }
}
