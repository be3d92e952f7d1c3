/// Puts translations together as Plover does, as far as spaces, capitals and stops go.
struct PloverText {
    private static let stops: Set<String> = [".", "?", "!"]
    private static let commas: Set<String> = [",", ":", ";"]

    private var text = ""
    private var attachesNext = true
    private var capitalisesNext = true
    /// The last word was a letter of a word that is spelt.
    private var wasLetter = false

    static func text(of translations: [PloverTranslation], beginsSentence: Bool) -> String {
        var writer = PloverText()
        writer.capitalisesNext = beginsSentence
        for translation in translations { writer.write(translation) }
        return writer.text
    }

    /// Whether a line ends with this one.
    static func endsSentence(_ translation: PloverTranslation) -> Bool {
        guard let meaning = translation.meaning else { return false }
        return parts(of: meaning).last.map { part in
            part.isCommand && (stops.contains(part.text) || part.text.hasPrefix("#Return"))
        } ?? false
    }

    private mutating func write(_ translation: PloverTranslation) {
        guard let meaning = translation.meaning else {
            // Strokes without a meaning are shown as they are, as Plover types them.
            let raw = translation.strokes.filter { !"(),' ".contains($0) }
            return add(raw, attached: false)
        }
        for part in Self.parts(of: meaning) {
            if part.isCommand { command(part.text) } else { add(part.text, attached: false) }
        }
    }

    private mutating func command(_ command: String) {
        switch command {
        case let stop where Self.stops.contains(stop):
            add(stop, attached: true)
            capitalisesNext = true
        case let comma where Self.commas.contains(comma): add(comma, attached: true)
        case "-|": capitalisesNext = true
        case "^": attachesNext = true
        case let letter where letter.hasPrefix("&"): spell(String(letter.dropFirst()))
        case let affix where affix.hasPrefix("^") || affix.hasSuffix("^"): attach(affix)
        // The rest moves cursors, presses keys or changes what the next strokes mean.
        default: break
        }
    }

    private mutating func spell(_ letter: String) {
        add(letter, attached: wasLetter)
        wasLetter = true
    }

    private mutating func attach(_ affix: String) {
        let begins = affix.hasPrefix("^")
        let ends = affix.count > 1 && affix.hasSuffix("^")
        add(String(affix.dropFirst(begins ? 1 : 0).dropLast(ends ? 1 : 0)), attached: begins)
        attachesNext = ends
    }

    private mutating func add(_ word: String, attached: Bool) {
        guard !word.isEmpty else { return }
        if !attached, !attachesNext { text += " " }
        let isStop = Self.stops.contains(word) || Self.commas.contains(word)
        text += capitalisesNext && !isStop ? word.prefix(1).uppercased() + word.dropFirst() : word
        if !isStop { capitalisesNext = false }
        attachesNext = false
        wasLetter = false
    }

    private struct Part {
        var text: String
        var isCommand: Bool
    }

    /// Words, and what is in braces, of a meaning such as `{^ing} the {.}`.
    private static func parts(of meaning: String) -> [Part] {
        var parts: [Part] = []
        var rest = meaning[...]
        while let open = rest.firstIndex(of: "{") {
            parts += words(in: rest[..<open])
            let behind = rest[rest.index(after: open)...]
            let close = behind.firstIndex(of: "}") ?? behind.endIndex
            parts.append(Part(text: String(behind[..<close]), isCommand: true))
            rest = close < behind.endIndex ? behind[behind.index(after: close)...] : ""
        }
        return parts + words(in: rest)
    }

    private static func words(in text: Substring) -> [Part] {
        text.split(separator: " ").map { Part(text: String($0), isCommand: false) }
    }
}
