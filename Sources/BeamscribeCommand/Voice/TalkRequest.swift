import Beamscribe
import BeamscribeCore
import BeamscribeVoice

/// What another program asks of `talk`, as a line of `--control`.
enum TalkRequest: Equatable {
    /// Begin to talk, end it, or the other one of the two.
    case talk(Switch)
    /// Hear nothing of somebody, or hear him again.
    case mute(name: String, Bool)
    /// Somebody is to be so much louder than his channel, in decibels.
    case volume(name: String, Double)
    /// Go to another channel.
    case channel(String)
    /// The end.
    case quit

    enum Switch: String {
        case on, off, toggle
    }

    /// What a line says; nil where it says nothing that is known.
    ///
    ///     talk on|off|toggle
    ///     mute NAME on|off
    ///     volume NAME DECIBELS
    ///     channel NAME
    ///     quit
    init?(line: String) {
        let words = line.split { $0 == " " || $0 == "\t" }
        guard let verb = words.first, let last = words.last else { return nil }
        let name = words.dropFirst().dropLast().joined(separator: " ")
        switch verb {
        case "channel" where words.count == 2 && VoiceChannel.isName(String(last)):
            self = .channel(String(last))
        case "quit" where words.count == 1: self = .quit
        case "talk" where words.count == 2:
            guard let wanted = Switch(rawValue: String(last)) else { return nil }
            self = .talk(wanted)
        case "mute" where last == "on" || last == "off":
            guard !name.isEmpty else { return nil }
            self = .mute(name: name, last == "on")
        case "volume":
            guard !name.isEmpty, let decibels = Double(last),
                TalkOptions.gainRange.contains(decibels)
            else { return nil }
            self = .volume(name: name, decibels)
        default: return nil
        }
    }

    /// What may be said, for people.
    static let grammar =
        "talk on|off|toggle, mute NAME on|off, volume NAME DB (-60 to 20), channel NAME, quit"
}
