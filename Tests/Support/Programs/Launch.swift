import Foundation

/// What to start and how: the words, the surroundings, and where its streams go.
public struct Launch: Sendable {
    /// A path, or a name to look up in `PATH`.
    public var executable: String
    public var arguments: [String]
    /// Words that come before the executable, such as `["nsenter", "-t", "42", "-n"]`. Each must
    /// end in an `exec` of the rest, so that the process id is the program's own.
    public var prefix: [String] = []
    /// Variables that are added to this process's own environment, or replaced in it.
    public var environment: [String: String] = [:]
    /// Variables that the program must not inherit.
    public var withoutVariables: Set<String> = []
    public var directory: String?
    public var input = StandardInput.pipe
    public var output = StandardOutput.collected

    public init(_ executable: String, _ arguments: String...) {
        self.init(executable, arguments: arguments)
    }

    public init(_ executable: String, arguments: [String]) {
        self.executable = executable
        self.arguments = arguments
    }

    /// The whole command line, program names looked up.
    func words() throws(SpawnFailed) -> [String] {
        // `env -C` and not a chdir here, which would move every thread of the test run.
        let move = directory.map { ["env", "-C", $0] } ?? []
        var words = prefix + move + [try Tool.path(of: executable)] + arguments
        words[0] = try Tool.path(of: words[0])
        return words
    }

    /// `NAME=value` for each variable. The locale is fixed: what a program prints must not
    /// depend on who runs the tests.
    func completeEnvironment() -> [String] {
        var variables = ProcessInfo.processInfo.environment
        variables["LC_ALL"] = "C.UTF-8"
        // Nor on this machine's Bluetooth, into whose air no test has anything to say.
        variables["BEAMSCRIBE_BLUEZ_BUS_ADDRESS"] = "unix:path=/nonexistent/bus"
        for name in withoutVariables { variables[name] = nil }
        variables.merge(environment) { _, new in new }
        return variables.map { "\($0)=\($1)" }
    }

    /// The command as a person would write it, for messages.
    var title: String {
        let name = executable.split(separator: "/").last.map(String.init) ?? executable
        return ([name] + arguments).joined(separator: " ")
    }
}
