import Foundation
import Glibc
import Synchronization

/// Cleans up if this test process dies before it could: one small shell that waits for the end of
/// a pipe and then runs what was registered and not forgotten, the newest first.
///
/// Even SIGKILL closes the pipe; nothing but this process holds its writing end.
final class Reaper: Sendable {
    static let shared = Reaper()

    /// A registered command; it is run unless it is forgotten first.
    struct Ticket: Sendable {
        fileprivate let number: Int

        func forget() {
            Reaper.shared.tell(number, "")
        }
    }

    private static let script = """
        numbers=
        while read -r number command; do
            eval "command_$number=\\$command"
            [ -z "$command" ] || numbers="$number $numbers"
        done
        for number in $numbers; do eval "eval \\"\\$command_$number\\""; done
        """

    private let pipe: Descriptor?
    private let count = Mutex(0)

    private init() {
        guard let (reading, writing) = try? Descriptor.pipe() else {
            pipe = nil
            return
        }
        // Its output goes nowhere: whoever reads the test run's output must not wait for it.
        let actions: [SpawnAction] = [
            .duplicate(reading, as: 0), .open("/dev/null", flags: O_RDWR, as: 1),
            .open("/dev/null", flags: O_RDWR, as: 2),
        ]
        _ = SpawnAction.spawn(
            ["/bin/sh", "-c", Reaper.script], environment: ["PATH=\(Tool.searchPath)"],
            actions: actions)
        pipe = writing
    }

    /// - Parameter command: One line of POSIX shell.
    func register(_ command: String) -> Ticket {
        precondition(!command.contains("\n"), "a reaper's command is one line")
        let number = count.withLock { count in
            count += 1
            return count
        }
        tell(number, command)
        return Ticket(number: number)
    }

    private func tell(_ number: Int, _ command: String) {
        // Short of PIPE_BUF, so lines of several threads do not mix.
        let line = Array("\(number) \(command)\n".utf8)
        if let pipe { _ = write(pipe.number, line, line.count) }
    }

    /// `text` as one word of shell.
    static func quoted(_ text: String) -> String {
        "'" + text.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }
}
