import BeamscribeCore

/// AssemblyAI's streaming messages: turns, each of which grows, ends, and may come once more with
/// capitals and commas.
struct AssemblyAIGrammar: ObjectGrammar {
    struct Message: Decodable {
        var type: String?
        var turn: Int?
        var endOfTurn: Bool?
        var transcript: String?
        var utterance: String?
        /// Their times are in milliseconds.
        var words: [WordTimes]?
        var speaker: SpeakerNumber?

        enum CodingKeys: String, CodingKey {
            case type, transcript, utterance, words
            case turn = "turn_order"
            case endOfTurn = "end_of_turn"
            case speaker = "speaker_label"
        }
    }

    /// The newest turn that is final.
    private var ended: Int?
    private var wording = ""

    mutating func take(_ message: Message, into output: inout CaptionOutput) {
        guard message.type == "Turn", let turn = message.turn else { return }
        let caption = Caption(
            text: message.transcript ?? "", line: "turn-\(turn)", speaker: message.speaker?.label,
            start: message.words?.first?.start.map { $0 / 1_000 },
            end: message.words?.last?.end.map { $0 / 1_000 })
        if message.endOfTurn != true {
            if turn != ended { output.partial(caption) }
        } else if turn == ended {
            if caption.text != wording { output.correction(caption) }
            wording = caption.text
        } else {
            output.final(caption)
            ended = turn
            wording = caption.text
        }
    }
}
