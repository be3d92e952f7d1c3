import Foundation
import Glibc
import Synchronization

/// One step that a new process takes between its birth and its program.
enum SpawnAction {
    case duplicate(Descriptor, as: Int32)
    case open(String, flags: Int32, as: Int32)
    case close(Int32)

    func add(to actions: inout posix_spawn_file_actions_t) {
        switch self {
        case .duplicate(let descriptor, let number):
            posix_spawn_file_actions_adddup2(&actions, descriptor.number, number)
        case .open(let path, let flags, let number):
            posix_spawn_file_actions_addopen(&actions, number, path, flags, 0o644)
        case .close(let number):
            posix_spawn_file_actions_addclose(&actions, number)
        }
    }

    /// Starts `words` in a session of its own, with every signal as the system has it at first:
    /// what the test runner ignores or blocks must not reach the program.
    static func spawn(
        _ words: [String], environment: [String], actions steps: [SpawnAction]
    ) -> (pid: pid_t, error: Int32) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for step in steps + inherited() { step.add(to: &actions) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        setFreshSession(&attributes)

        let argv = words.map { strdup($0) } + [nil]
        let envp = environment.map { strdup($0) } + [nil]
        defer { for word in argv + envp { free(word) } }
        return Descriptor.inheritance.withLock { _ in
            var pid = pid_t()
            let error = posix_spawn(&pid, words[0], &actions, &attributes, argv, envp)
            return (pid, error)
        }
    }

    /// The test run's own descriptors have no business in a program: what lives on after the run
    /// would hold open the pipes that somebody reads the run's output from.
    private static func inherited() -> [SpawnAction] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap(Int32.init).filter { $0 > 2 }.map { .close($0) }
    }

    private static func setFreshSession(_ attributes: inout posix_spawnattr_t) {
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // glibc's POSIX_SPAWN_SETSID, which its header shows to GNU C only.
        let setSession: Int32 = 0x80
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | setSession
        posix_spawnattr_setflags(&attributes, Int16(flags))
    }
}
