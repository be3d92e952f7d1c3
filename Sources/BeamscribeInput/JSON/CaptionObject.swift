import BeamscribeCore

/// One line of JSON input. Its labels are safe to show; its text is as it was written, and made safe
/// where it is cut.
struct CaptionObject: Decodable {
    var caption: Caption
    var isFinal: Bool

    enum CodingKeys: String, CodingKey {
        case text, final, line, speaker, lang, start, end, replaces, of
        // CrispASR's names, which are looked at where there is a type.
        case type, t0, t1
        case utterance = "utterance_id"
    }

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: CodingKeys.self)
        guard let text = try object.decodeIfPresent(String.self, forKey: .text) else {
            throw Unusable.noText
        }
        isFinal = try object.decodeIfPresent(Bool.self, forKey: .final) ?? true
        caption = Caption(
            text: text,
            line: SpeakerLabel.safe(try Self.number(LineID.self, .line, of: object)?.value),
            speaker: SpeakerLabel.safe(try object.decodeIfPresent(String.self, forKey: .speaker)),
            lang: SpeakerLabel.safe(try object.decodeIfPresent(String.self, forKey: .lang)),
            start: try Self.number(Double.self, .start, of: object),
            end: try Self.number(Double.self, .end, of: object),
            replaces: try Self.number(Int.self, .replaces, of: object))
        if let replaces = caption.replaces, replaces < 1 { throw Unusable.wrongKind(.replaces) }
        caption.of = try Self.number(Int.self, .of, of: object)
        if let of = caption.of, of < 1 { throw Unusable.wrongKind(.of) }
        guard object.contains(.type) else { return }
        try takeUtterance(of: object)
    }

    /// Reads a line of the usual shape quickly; nil leaves it to the general decoder, which takes six
    /// times as long.
    init?(quickly line: UnsafeRawBufferPointer) {
        var (text, id, speaker, lang): (String?, String?, String?, String?)
        var isFinal: Bool?
        var (start, end): (Double?, Double?)
        var (replaces, of): (Int?, Int?)
        var reader = FlatObjectReader(line)
        let isRead = reader.readObject { reader, key in
            if key.spell("text") { return reader.read(into: &text) }
            if key.spell("final") { return reader.read(into: &isFinal) }
            if key.spell("line") { return reader.read(into: &id) }
            if key.spell("speaker") { return reader.read(into: &speaker) }
            if key.spell("lang") { return reader.read(into: &lang) }
            if key.spell("start") { return reader.read(into: &start) }
            if key.spell("end") { return reader.read(into: &end) }
            if key.spell("replaces") { return reader.read(into: &replaces) }
            return key.spell("of") && reader.read(into: &of)
        }
        guard isRead, let text, replaces != 0, of != 0 else { return nil }
        self.isFinal = isFinal ?? true
        caption = Caption(
            text: text, line: SpeakerLabel.safe(id), speaker: SpeakerLabel.safe(speaker),
            lang: SpeakerLabel.safe(lang), start: start, end: end, replaces: replaces)
        caption.of = of
    }

    /// `{"type":"partial","utterance_id":1,"text":"good mor","t0":0.0,"t1":0.8}`. Other programs
    /// have types of their own, which mean nothing here.
    private mutating func takeUtterance(of object: KeyedDecodingContainer<CodingKeys>) throws {
        let type = try? object.decode(String.self, forKey: .type)
        guard type == "partial" || type == "final" else { return }
        if !object.contains(.final) { isFinal = type == "final" }
        let utterance = try Self.number(LineID.self, .utterance, of: object)?.value
        caption.line = caption.line ?? SpeakerLabel.safe(utterance)
        caption.start = try caption.start ?? Self.number(Double.self, .t0, of: object)
        caption.end = try caption.end ?? Self.number(Double.self, .t1, of: object)
    }

    /// What to tell a person whose line gave `error`.
    static func reason(for error: any Error) -> String {
        switch error {
        case Unusable.noText: return "it has no \"text\""
        case Unusable.wrongKind(let key): return reason(forWrong: key)
        case DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context):
            let key = context.codingPath.first.flatMap { CodingKeys(rawValue: $0.stringValue) }
            return key.map(reason(forWrong:)) ?? "it is not a JSON object"
        default: return "it is not valid JSON"
        }
    }

    private static func reason(forWrong key: CodingKeys) -> String {
        "\"\(key.rawValue)\" has to be \(kind(of: key))"
    }

    private enum Unusable: Error {
        case noText
        case wrongKind(CodingKeys)
    }

    private static func kind(of key: CodingKeys) -> String {
        switch key {
        case .text, .speaker, .lang, .type: "a string"
        case .final: "true or false"
        case .line, .utterance: "a string or a whole number"
        case .start, .end, .t0, .t1: "a number of seconds"
        case .replaces, .of: "a whole number from 1 up"
        }
    }

    /// The number at `key`, or nil where it is absent or null. The decoder calls the whole line
    /// corrupted when a number does not fit its type, and does not say which.
    private static func number<T: Decodable>(
        _ type: T.Type, _ key: CodingKeys, of object: KeyedDecodingContainer<CodingKeys>
    ) throws -> T? {
        do {
            return try object.decodeIfPresent(type, forKey: key)
        } catch {
            throw Unusable.wrongKind(key)
        }
    }

    private struct LineID: Decodable {
        var value: String

        init(from decoder: any Decoder) throws {
            let single = try decoder.singleValueContainer()
            do {
                value = try single.decode(String.self)
            } catch DecodingError.typeMismatch {
                value = String(try single.decode(Int.self))
            }
        }
    }
}
