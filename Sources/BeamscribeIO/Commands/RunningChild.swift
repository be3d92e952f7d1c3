internal import BeamscribeCore
internal import CLinux
internal import Glibc

/// A process that this program has started, with all that it starts in its process group.
///
/// Invariant: it is reaped when ``wait(feeding:to:patience:mercy:hurry:)`` returns.
struct RunningChild {
    private let process: pid_t

    /// How often it is looked whether there is a hurry, or, on a kernel without pidfd_open(2),
    /// whether it has ended.
    private static let look: Duration = .milliseconds(50)

    init(_ process: pid_t) {
        self.process = process
    }

    /// Gives the process its input, and waits until it ends, or ends it.
    func wait(
        feeding input: [UInt8], to pipe: consuming Descriptor, patience: Duration,
        mercy: Duration, hurry: () -> Bool
    ) -> ShellCommand.Outcome {
        var input = ChildInput(input, to: pipe)
        let ending = Descriptor(owning: clinux_open_process(process))
        var deadline = Clock.uptime + patience
        var isTold = false
        while true {
            if hasEnded {
                // Its number is not given to another process before it is reaped.
                if isTold { tell(SIGKILL) }
                let outcome = reap()
                return isTold ? .timedOut : outcome
            }
            input.write()
            if Clock.uptime >= deadline || (!isTold && hurry()) {
                tell(isTold ? SIGKILL : SIGTERM)
                (isTold, deadline) = (true, Clock.uptime + mercy)
            }
            Self.pause(until: deadline, ending: ending.number, isFeeding: input.isOpen)
        }
    }

    private var hasEnded: Bool {
        var information = siginfo_t()
        let options = WEXITED | WNOHANG | WNOWAIT
        let result = waitid(P_PID, id_t(clamping: process), &information, options)
        return result < 0 ? errno != EINTR : information.si_signo != 0
    }

    /// How it ended; nil while it runs. It is reaped then, and what it has left in its process group
    /// is killed before: the group's number is not given to others until then.
    func endIfOver() -> ShellCommand.Outcome? {
        guard hasEnded else { return nil }
        tell(SIGKILL)
        return reap()
    }

    /// Sends a signal to all of its process group.
    func tell(_ signal: Int32) { kill(-process, signal) }

    func reap() -> ShellCommand.Outcome {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? .exited(code: status >> 8 & 0xFF) : .signalled(signal)
    }

    private static func pause(until deadline: Duration, ending: Int32, isFeeding: Bool) {
        let left = min(max(deadline - Clock.uptime, .zero), look)
        let nap: Duration = isFeeding || ending < 0 ? .milliseconds(5) : left
        var waiting = pollfd(fd: ending, events: Int16(clamping: POLLIN), revents: 0)
        poll(&waiting, 1, Int32(saturating: nap.seconds * 1_000 + 1))
    }
}
