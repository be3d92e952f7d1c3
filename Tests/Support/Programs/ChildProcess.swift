import Foundation
import Glibc
import Synchronization

/// One process that was started here, leader of its own session and process group.
///
/// Invariant: `pid` is ours until `isReaped` is set; a signal is only ever sent before that.
final class ChildProcess: Sendable {
    let pid: pid_t
    private let isReaped = Mutex(false)
    private let ended = DispatchGroup()
    private let afterDeath: Reaper.Ticket

    /// - Parameter onExit: Called once, on a thread of its own, when the process has ended.
    init(
        _ launch: Launch, actions: [SpawnAction], onExit: @escaping @Sendable (ExitStatus) -> Void
    ) throws(SpawnFailed) {
        let (pid, error) = SpawnAction.spawn(
            try launch.words(), environment: launch.completeEnvironment(), actions: actions)
        guard error == 0 else { throw SpawnFailed(launch.title, errno: error) }
        self.pid = pid
        afterDeath = Reaper.shared.register("kill -9 -\(pid)")
        let ended = self.ended
        ended.enter()
        Thread.detachNewThread {
            onExit(ExitStatus.ofEnded(pid))
            ended.leave()
        }
    }

    deinit {
        stop()
    }

    func signal(_ number: Int32) {
        isReaped.withLock { if !$0 { _ = kill(pid, number) } }
    }

    /// SIGSTOP, and back when every thread of the process stands still (or it has ended).
    func suspend() {
        isReaped.withLock { isReaped in
            guard !isReaped else { return }
            _ = kill(pid, SIGSTOP)
            var info = siginfo_t()
            _ = waitid(P_PID, id_t(pid), &info, WSTOPPED | WEXITED | WNOWAIT)
        }
    }

    /// Blocks until the process has ended by itself.
    func waitUntilEnded() {
        ended.wait()
    }

    /// Kills the process and what it started in its group, and reaps it. Safe to call twice.
    func stop() {
        isReaped.withLock { isReaped in
            guard !isReaped else { return }
            // Before the reaping: until then nobody else's process or group has this number.
            _ = kill(-pid, SIGKILL)
            ended.wait()
            afterDeath.forget()
            while waitpid(pid, nil, 0) == -1 && errno == EINTR {}
            isReaped = true
        }
    }
}
