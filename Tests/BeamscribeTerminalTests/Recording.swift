import BeamscribeCore
import FoundationEssentials

/// A recogniser's lines as they changed, from a file of JSON lines.
///
/// The files have the shapes of streams that recognisers write: `growing` as Vosk's partial results
/// (the last words change), `heard-anew` as whisper.cpp's stream (the whole window is recognised
/// again and again, early words, capitals and punctuation change), `two-speakers` with two lines
/// open at a time and a speaker who is known at the end only, `japanese` without blanks.
struct Recording {
    struct Event: Decodable {
        /// Seconds since the recording began.
        var at: Double
        var line: String
        var text: String
        var speaker: String?
        var final: Bool?
    }

    static let names = ["growing", "heard-anew", "two-speakers", "japanese"]

    let events: [Event]

    init(_ name: String, file: String = #filePath) throws {
        let folder = file.split(separator: "/").dropLast().joined(separator: "/")
        let data = try Data(contentsOf: URL(filePath: "/\(folder)/Recordings/\(name).jsonl"))
        events = try data.split(separator: 0x0A).map {
            try JSONDecoder().decode(Event.self, from: Data($0))
        }
    }
}
