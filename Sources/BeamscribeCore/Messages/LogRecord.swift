public import FoundationEssentials

/// What a log is, by its writer's signature: whose it is, of which event, and what for people.
public struct LogRecord: Codable, Equatable, Sendable {
    /// The log's id, a lower-case UUID.
    public var session: String
    /// The event's: the id of the log that founded it.
    public var event: String
    /// The writer's public key, a SubjectPublicKeyInfo in DER; base64 on the wire.
    public var key: Data
    /// What the log is called among those of its event.
    public var label: String
    /// What its lines are: `captions`, or `translation`.
    public var kind: String
    /// A BCP 47 tag of the language that it is in; nil where that is not told.
    public var lang: String?
    /// Of a translation the log whose lines its own translate, of captions the one for whose writer its own
    /// stands in, a lower-case UUID; nil for neither.
    public var of: String?
    /// For whom alone its lines are: SHA-256 of their keys, in hexadecimal digits; nil for everybody.
    public var to: [String]?
    /// Of the log that has founded an event, whether everybody may write in it; see ``BoundSession``.
    public var open: Bool?
    /// Whether guests need a code, in the record of the log that founded the event; nil where its
    /// host does not say.
    public var code: Bool?
    /// The event's name for people.
    public var eventName: String
    /// The writer's machine for people.
    public var deviceName: String
    /// When it was begun, in seconds since 1970.
    public var created: Double
    /// Of several records of a log that with the highest number counts.
    public var number: Int

    /// The record of the log that founds an event.
    ///
    /// - Parameters:
    ///   - session: the log's id, a lower-case UUID.
    ///   - label: what the log is called among those of the event.
    ///   - number: the run that is on.
    ///   - isOpen: whether everybody may write in the event.
    public init(
        founding session: String, as label: String = mainLabel, eventName: String,
        deviceName: String, created: Double, number: Int, isOpen: Bool = false
    ) {
        (self.session, event, key) = (session, session, Data())
        (self.label, kind) = (label, Self.captions)
        open = isOpen ? true : nil
        (self.eventName, self.deviceName) = (eventName, deviceName)
        (self.created, self.number) = (created, number)
    }

    /// The record of one more log of an event, with captions.
    ///
    /// - Parameters:
    ///   - session: the log's id, a lower-case UUID.
    ///   - event: the event's, the same way.
    ///   - label: what the log is called among those of the event.
    ///   - main: the log for whose writer this one's stands in; nil for none.
    public init(
        _ session: String, of event: String, as label: String, lang: String?, eventName: String,
        deviceName: String, created: Double, number: Int, standingInFor main: String? = nil
    ) {
        self.init(
            founding: session, eventName: eventName, deviceName: deviceName, created: created,
            number: number)
        (self.event, self.label, self.lang, of) = (event, label, lang, main)
    }

    /// The record of a log that translates another of its event.
    ///
    /// - Parameter translated: the id of the log that it translates.
    public init(
        _ session: String, translating translated: String, of event: String, as label: String,
        lang: String?, eventName: String, deviceName: String, created: Double, number: Int
    ) {
        self.init(
            session, of: event, as: label, lang: lang, eventName: eventName,
            deviceName: deviceName, created: created, number: number)
        (kind, of) = (Self.translation, translated)
    }

    /// Whether this record may take the place of an earlier one of the same log.
    ///
    /// It has a higher number, and leaves alone who may read the log, whose lines it translates and
    /// who may write in its event: machines that came at different times would disagree about that.
    func mayFollow(_ earlier: LogRecord) -> Bool {
        number > earlier.number && kind == earlier.kind && of == earlier.of
            && to.map(Set.init) == earlier.to.map(Set.init)
            && (event != earlier.event || open == earlier.open)
            && (kind != Self.translation || lang == earlier.lang)
    }

    /// What an event's first log is called.
    public static let mainLabel = "Floor"
    /// The kind of a log whose lines are what is said.
    public static let captions = "captions"
    /// The kind of a log whose lines are those of another, in another language.
    public static let translation = "translation"
}
