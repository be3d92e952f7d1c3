import Beamscribe
import BeamscribeCore

/// Words for people about a line that they have typed.
enum TypedWords {
    /// - Parameter key: the key that takes the captions.
    /// - Returns: nil for a line that was sent.
    static func sentence(_ outcome: TypedOutcome, toTake key: String) -> String? {
        switch outcome {
        case .sent: return nil
        case .waits: return "Paused: the line goes out when you go on."
        case .offRecord: return "Off the record: the line went nowhere."
        case .offAir: return "Others caption: the line went nowhere. \(key) takes the captions."
        case .nobody(let name):
            return "Nobody here is called \"\(SafeText.line(name))\". The line was not sent."
        case .several(let members):
            let names = members.prefix(3).map {
                "\"\(SafeText.line($0.names.last ?? ""))\" \($0.key)"
            }
            return "Not sent: that may mean \(names.joined(separator: " or ")). Type the name in "
                + "quotes, or the 16 digits."
        case .unknownCommand(let word):
            return "\(SafeText.line(word)) is no command: /to NAME words, /except NAME words; "
                + "// begins with a slash."
        case .refused: return "The line was not sent: too many wait, or the event is over."
        }
    }
}
