import BeamscribeCore
internal import CLinux
internal import Glibc

/// Keeps what only this program is to know from others who can look at the process.
public enum ProcessSecrets {
    /// Overwrites a value among the process's arguments, which every user of the machine can read
    /// (proc_pid_cmdline(5)), alone or behind an option's `=`.
    public static func hideArgument(_ value: String) {
        guard !value.isEmpty else { return }
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = CommandLine.unsafeArgv[index] else { continue }
            let text = String(cString: argument)
            if text == value || (text.hasPrefix("--") && text.hasSuffix("=" + value)) {
                overwrite(argument + (text.utf8.count - value.utf8.count))
            }
        }
    }

    /// Takes a variable out of the process's environment: neither programs that it starts nor its
    /// own memory where the system has put it hold it any more.
    ///
    /// - Returns: its value; nil where it is not set, or empty.
    public static func takeVariable(_ name: String) -> String? {
        guard let pointer = getenv(name) else { return nil }
        let value = String(cString: pointer)
        overwrite(pointer)
        unsetenv(name)
        return value.isEmpty ? nil : value
    }

    /// Asks the system to write no image of the process's memory when it fails (PR_SET_DUMPABLE,
    /// prctl(2)).
    public static func forbidCoreDumps() {
        clinux_forbid_core_dumps()
    }

    private static func overwrite(_ text: UnsafeMutablePointer<CChar>) {
        memset(text, Int32(UInt8(ascii: "*")), strlen(text))
    }
}
