/// A system tool that a test needs ended with something other than success.
struct ToolFailed: Error, CustomStringConvertible {
    let command: String
    let status: ExitStatus
    let message: String

    var description: String {
        "`\(command)` ended with \(status): \(message.isEmpty ? "it said nothing" : message)"
    }
}
