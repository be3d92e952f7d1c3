/// One of an event's logs, as readers tell it from the others.
public struct LogTitle: Hashable, Sendable {
    /// The log's id, a lower-case UUID.
    public var session: String
    /// What it is called, safe to show.
    public var label: String
    /// Its writer's machine, safe to show.
    public var deviceName: String
    /// A BCP 47 tag of its language; nil where that is not told.
    public var lang: String?
    /// The log whose lines it translates, a lower-case UUID; nil for captions of its own.
    public var translates: String?
    /// The log for whose captioner its own stands in, a lower-case UUID; nil where he has no turn to wait
    /// for.
    public var standsInFor: String?
    /// Its writer's key.
    public var writer: Fingerprint
    /// Whether its lines are for some readers alone.
    public var isPrivate: Bool

    init(_ record: LogRecord, by writer: Fingerprint) {
        session = record.session
        label = Self.withoutBrackets(SafeText.name(record.label, bytes: Limits.labelBytes))
        deviceName = SafeText.name(record.deviceName, bytes: Limits.deviceNameBytes)
        lang = record.lang.map { SafeText.label($0, bytes: Limits.labelBytes) }
        switch record.kind {
        case LogRecord.translation: translates = record.of
        case LogRecord.captions: standsInFor = record.of
        default: break
        }
        self.writer = writer
        isPrivate = record.to != nil
    }

    /// Brackets are what labels stand in: one in a label could end it early.
    private static func withoutBrackets(_ label: String) -> String {
        label.replacing("[", with: "(").replacing("]", with: ")")
    }
}

extension LogTitle {
    /// Whether it has what is said in a log: it is that, or its writer stands in for that one's.
    public func speaks(for session: String) -> Bool {
        self.session == session || standsInFor == session
    }

    /// What people are shown of its label: "Ann to Ben, private" where its lines are for some
    /// alone. The writer chooses the label: one that ends like that gets ", public".
    private var shownLabel: String {
        if isPrivate { return "\(label), private" }
        let letters = label.lowercased().filter(\.isLetter)
        return letters.hasSuffix("private") ? "\(label), public" : label
    }

    /// Who speaks in it, for people: "Room 2 · Ann", or "Room 2" where nobody is named; "Ann" in the log of that
    /// name.
    public func name(of speaker: String?) -> String {
        speaker.flatMap { $0.isEmpty || $0 == label ? nil : "\(shownLabel) · \($0)" } ?? shownLabel
    }

    /// What a line of it has before its words, and before who speaks: "[Room 2] "; nothing where that says the same.
    public func tag(beside speaker: String?) -> String {
        speaker == label && shownLabel == label ? "" : "[\(shownLabel)] "
    }
}

extension TranscriptLine {
    /// The same, with the log's name before the speaker's.
    public func named(after log: LogTitle) -> TranscriptLine {
        var line = self
        line.speaker = log.name(of: speaker)
        return line
    }
}

/// How one of an event's logs stands, by its writer's own word.
public enum LogStanding: String, Sendable {
    /// Its writer is heard.
    case live
    /// Its writer is heard, and it is another's turn.
    case standby
    /// Nothing was heard of its writer for longer than it had said.
    case stale
    /// Its writer has ended it, or has gone, or was put out of the event.
    case ended
    /// Its writer has signed different lines with one number: nobody can say what he has said.
    case forked
}
