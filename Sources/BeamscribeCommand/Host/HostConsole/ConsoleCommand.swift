import BeamscribeTerminal

/// What the operator can have done by one key.
enum ConsoleCommand: CaseIterable {
    case pause
    case offRecord
    case mark
    case guests
    case phones
    case relays
    case writers
    case voices
    case take
    case hand
    case correct
    case find
    case type
    case always
    case endEvent
    case keys

    /// The command of a key; nil where it has none.
    ///
    /// - Parameter isTyping: whether letters are words.
    init?(_ key: Key, isTyping: Bool) {
        let command = Self.allCases.first { command in
            key == .control(command.control) || !isTyping && key == .character(command.letter)
        }
        guard let command, !isTyping || !command.isForLettersOnly else { return nil }
        self = command
    }

    /// The key while nothing is typed, and the one together with Ctrl, at any time (Ctrl-M is Enter,
    /// and Ctrl-E goes to the end of a line in every editor); what it does, in a word or two and at
    /// length.
    private var row: (letter: Character, control: Character, word: String, sentence: String) {
        switch self {
        case .pause: ("p", "p", "pause", "pause, and go on: what comes in waits")
        case .offRecord:
            ("o", "o", "off record", "off the record, and back on: what comes in is thrown away")
        case .mark: ("m", "k", "mark", "mark this place for everybody")
        case .guests: ("g", "g", "guests", "the table of guests")
        case .phones:
            ("w", "y", "phones", "the page for phones: its address and its code (--web)")
        case .relays:
            (
                "v", "v", "relays",
                "whether phones go on to relays' pages without this host (--web-relay)"
            )
        case .writers:
            (
                "l", "b", "let in",
                "let in who asks to caption here, or put one out: shown first"
            )
        case .voices:
            ("k", "]", "voices", "who is on the voices, and put one out: shown first (--voice)")
        case .take:
            ("t", "q", "take", "take the captions, where another has them: shown first")
        case .hand:
            ("h", "s", "hand over", "hand the captions over to who stands by: shown first")
        case .correct:
            ("c", "r", "correct", "correct a line: Up and Down choose, Enter sends, Escape leaves")
        case .find:
            ("/", "f", "find", "find a line of any age by its words or number, and correct it")
        case .type: ("i", "t", "type", "type a line of your own: Enter sends, Escape leaves")
        case .always:
            ("a", "n", "always", "mend what you have corrected last in all that comes (--glossary)")
        case .endEvent: ("e", "x", "end", "end the event for everybody: type end and Enter")
        case .keys: ("?", "l", "keys", "these keys")
        }
    }

    var letter: Character { row.letter }
    var control: Character { row.control }

    /// Whether it is about what readers get, and not about what the operator sees.
    var changesEvent: Bool {
        ![.guests, .phones, .relays, .writers, .voices, .keys].contains(self)
    }

    /// Whether it only opens the line in which letters are words.
    private var isForLettersOnly: Bool { self == .correct || self == .type }

    /// The most important keys, in a row.
    static func hint(isTyping: Bool) -> String {
        commands(isTyping: isTyping).filter {
            ![.phones, .relays, .writers, .voices, .take, .hand, .find, .always].contains($0)
        }
        .map { "\($0.name(isTyping: isTyping)) \($0.row.word)" }
        .joined(separator: "  ")
    }

    /// All keys, in a table.
    static func help(isTyping: Bool) -> [String] {
        let commands = commands(isTyping: isTyping).map {
            "\(padded($0.name(isTyping: isTyping)))\($0.row.sentence)"
        }
        let editing = [
            "\(padded("Enter"))send the line; Tab: next speaker; Escape: leave a correction or a paste",
            "\(padded("Up"))correct the line before; without a word it is withdrawn",
            "\(padded("^W ^U"))take back a word, or all before the cursor; ^D: the input ends",
        ]
        return ["KEY     WHAT IT DOES"] + commands + (isTyping ? editing : [])
            + ["\(padded("^C"))stop the host; guests wait for it"]
    }

    private static func commands(isTyping: Bool) -> [ConsoleCommand] {
        allCases.filter { !isTyping || !$0.isForLettersOnly }
    }

    private static func padded(_ name: String) -> String {
        CharacterWidths.common.padded(name, to: 8)
    }

    func name(isTyping: Bool) -> String {
        isTyping ? "^\(control.uppercased())" : String(letter)
    }
}
