import BeamscribeCore
import BeamscribeIO

/// Where the operator can be shown what belongs in no log: the event's code, and the link that opens
/// its page.
enum SecretScreen {
    /// Standard error: a terminal, or a pipe to a program that started this one.
    case standardError
    /// The terminal that the user sits at, while standard error goes elsewhere.
    case controllingTerminal

    /// The one there is; nil where standard error is a file or a journal and nobody sits at a
    /// terminal.
    static func find() -> SecretScreen? {
        if Terminal.isTerminal(.error) { return .standardError }
        if ControllingTerminal.isThere { return .controllingTerminal }
        return Terminal.isPipe(.error) ? .standardError : nil
    }

    /// Shows a line, past every log.
    func show(_ line: String) {
        switch self {
        case .standardError: say(line)
        case .controllingTerminal: try? ControllingTerminal.show(SafeText.line(line) + "\r\n")
        }
    }
}
