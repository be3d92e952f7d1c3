/// The keys by which the first object of an input shows its form.
struct ObjectKeys: Decodable {
    let text: String?
    private let type: String?
    private let keys: Set<String>

    private static let deepgram: Set = ["Results", "Metadata", "SpeechStarted", "UtteranceEnd"]
    private static let assemblyAI: Set = ["Turn", "Begin", "Termination"]
    private static let liveKit: Set = ["config", "snapshot", "diff", "ready_to_stop"]
    private static let vosk: Set = ["partial", "result", "partial_result", "alternatives"]

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Key.self)
        text = try? object.decode(String.self, forKey: Key(stringValue: "text"))
        type = try? object.decode(String.self, forKey: Key(stringValue: "type"))
        keys = Set(object.allKeys.map(\.stringValue))
    }

    /// The form, where the object alone shows it.
    ///
    /// - Parameter isSpread: the object takes more than one line.
    func format(isSpread: Bool) -> InputFormat? {
        if keys.contains("buffer_transcription") { return .whisperLiveKit }
        if let type, let format = Self.format(ofType: type), text == nil { return format }
        if keys.contains("status"), keys.contains("lines") { return .whisperLiveKit }
        if !keys.isDisjoint(with: Self.vosk), isSpread || text == nil { return .vosk }
        return isSpread && text != nil && type == nil ? .vosk : isSpread ? .text : nil
    }

    private static func format(ofType type: String) -> InputFormat? {
        if deepgram.contains(type) { return .deepgram }
        if assemblyAI.contains(type) { return .assemblyAI }
        return liveKit.contains(type) ? .whisperLiveKit : nil
    }
}
