import BeamscribeCore

/// What Vosk's programs print: an object for each block of sound, most of them partials that say
/// nothing new, and one for each utterance's end.
struct VoskGrammar: ObjectGrammar {
    struct Alternative: Decodable {
        var text: String?
        var result: [WordTimes]?
    }

    struct Message: Decodable {
        var partial: String?
        var text: String?
        var result: [WordTimes]?
        var alternatives: [Alternative]?
    }

    mutating func take(_ message: Message, into output: inout CaptionOutput) {
        if let partial = message.partial {
            output.partial(Caption(text: partial))
        } else if let text = message.text {
            output.final(Self.caption(text, message.result))
        } else if let best = message.alternatives?.first {
            output.final(Self.caption(best.text ?? "", best.result))
        }
    }

    private static func caption(_ text: String, _ words: [WordTimes]?) -> Caption {
        Caption(text: text, start: words?.first?.start, end: words?.last?.end)
    }
}

/// When a word was said.
struct WordTimes: Decodable {
    var start: Double?
    var end: Double?
}
