import BeamscribeCore
import BeamscribeIO
import Logging

/// Tells a reader of printed lines what is no caption: alerts, and what became of the connection.
///
/// On a pipe that goes to standard error. On a terminal, where a screen reader or a braille display
/// reads what is printed, it stands between the captions, as a line of its own that begins with
/// `*** `, wherever standard error goes.
struct Announcer {
    let isPlainTerminal: Bool
    let logger: Logger

    /// Says `sentence`, if the user wants to know of such things.
    func tell(_ level: Logger.Level, _ sentence: String) {
        guard isPlainTerminal else { return logger.log(level: level, "\(sentence)") }
        guard level >= logger.logLevel else { return }
        // A terminal that is gone sends a hang-up, which ends the program.
        try? Terminal.write(Self.line(sentence, isWarning: level >= .warning) + "\n", to: .output)
    }

    /// `*** warning: host lost`
    static func line(_ sentence: String, isWarning: Bool) -> String {
        SafeText.line("*** " + (isWarning ? "warning: " : "") + sentence)
    }
}
