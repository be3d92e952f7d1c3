import BeamscribeCore

/// What is read of a message of WhisperLiveKit's.
struct WhisperLiveKitMessage: Decodable {
    var type: String?
    var lines: [Line]?
    /// Of a difference: the lines that take the place of the last ones.
    var newLines: [Line]?
    /// Of a difference: how many lines there are now.
    var lineCount: Int?
    /// Of a difference: how many lines have gone from the front.
    var pruned: Int?
    /// What may still change.
    var buffer: String?

    struct Line: Decodable, Equatable {
        var speaker: SpeakerNumber?
        var text: String?
        var start: Time?
        var end: Time?
        var language: String?

        enum CodingKeys: String, CodingKey {
            case speaker, text, start, end
            case language = "detected_language"
        }

        /// The number of a line in which nobody speaks.
        private static let silence = -2

        var isSilence: Bool { speaker?.number == Self.silence }

        /// Whoever has a number below 1 is not known.
        var speakerLabel: String? {
            if let number = speaker?.number, number < 1 { return nil }
            return speaker?.label
        }
    }

    /// Seconds, or a clock's time.
    struct Time: Decodable, Equatable {
        var seconds: Double?

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let number = try? value.decode(Double.self) {
                seconds = number
            } else {
                seconds = ClockTime.seconds(in: try value.decode(String.self))
            }
        }
    }

    enum CodingKeys: String, CodingKey {
        case type, lines, pruned = "lines_pruned"
        case newLines = "new_lines"
        case lineCount = "n_lines"
        case buffer = "buffer_transcription"
    }
}
