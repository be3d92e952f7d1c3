/// What is read of a message of Deepgram's.
struct DeepgramMessage: Decodable {
    let type: String?
    let start: Double?
    let end: Double?
    let isFinal: Bool
    let isSpeechFinal: Bool
    let best: Alternative?
    let channelNumber: Int?

    struct Alternative: Decodable {
        struct Word: Decodable {
            let speaker: Int?
        }

        let transcript: String?
        let words: [Word]?
    }

    private struct Channel: Decodable {
        var alternatives: [Alternative]?
    }

    private enum CodingKeys: String, CodingKey {
        case type, start, duration, channel
        case isFinal = "is_final"
        case isSpeechFinal = "speech_final"
        case channelIndex = "channel_index"
    }

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: CodingKeys.self)
        type = try object.decodeIfPresent(String.self, forKey: .type)
        start = try object.decodeIfPresent(Double.self, forKey: .start)
        let duration = try object.decodeIfPresent(Double.self, forKey: .duration)
        end = start.flatMap { start in duration.map { start + $0 } }
        isSpeechFinal = try object.decodeIfPresent(Bool.self, forKey: .isSpeechFinal) ?? false
        isFinal = try object.decodeIfPresent(Bool.self, forKey: .isFinal) ?? isSpeechFinal
        // In a message of another type the channel is a list of numbers.
        let isResult = type == nil || type == "Results"
        best =
            isResult
            ? try object.decodeIfPresent(Channel.self, forKey: .channel)?.alternatives?.first : nil
        let numbers = try? object.decodeIfPresent([Int].self, forKey: .channelIndex)
        let others = try? object.decodeIfPresent([Int].self, forKey: .channel)
        channelNumber = (numbers ?? others ?? nil)?.first
    }
}
