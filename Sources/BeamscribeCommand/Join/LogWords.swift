import BeamscribeCore

/// What is said of an event's logs besides its main one.
struct LogWords {
    /// How each was said to stand last, by its session.
    private var told: [String: LogStanding] = [:]
    /// Who has founded the event; nil while that is not known, and in a mesh, where he is one of several.
    private var founder: Fingerprint?
    /// Whether they are for one who writes in the event, and reads none of it.
    private let areForWriter: Bool

    init(forWriter: Bool = false) { areForWriter = forWriter }

    /// It is known whose event it is.
    mutating func know(_ event: JoinedEvent) { founder = event.isOpen ? nil : event.writer }

    /// How a log stands, as a sentence; nil where that is nothing new to people.
    ///
    /// - Parameters:
    ///   - isRead: whether it was asked for.
    ///   - key: what shows it, where a key does.
    mutating func words(
        for log: LogTitle, _ standing: LogStanding, isRead: Bool = false, key: String? = nil
    ) -> String? {
        let name = "\"\(log.label)\" on \(log.deviceName)"
        guard log.translates == nil || areForWriter else {
            // It comes and goes with what it translates.
            let isNew = told.updateValue(standing, forKey: log.session) == nil
            guard isNew, !isRead, standing == .live, let lang = log.lang else { return nil }
            let way = key.map { "\($0) shows it" } ?? "--lang \(lang)"
            return "There is a translation into \(lang): \(way)."
        }
        // What the host writes beside its main log comes and goes with the event.
        if log.writer == founder, log.standsInFor == nil, standing != .forked,
            told[log.session] != nil
        {
            told[log.session] = standing
            return nil
        }
        let work =
            log.translates == nil ? "captions" : "translates into \(log.lang ?? "a language")"
        switch (told.updateValue(standing, forKey: log.session), standing) {
        case (nil, .live), (.ended?, .live): return "\(name) \(work) in this event, too."
        case (nil, .standby): return "\(name) stands by to caption."
        case (.standby?, .live): return "\(name) captions now."
        case (.stale?, .standby): return "\(name) is heard again, and stands by."
        case (.live?, .standby): return "\(name) captions no more, and stands by."
        case (.stale?, .live): return "\(name) is heard again."
        case (.live?, .stale), (.standby?, .stale): return "Nothing is heard of \(name) for now."
        case (.live?, .ended), (.stale?, .ended), (.standby?, .ended): return "\(name) has ended."
        case (.forked?, .forked): return nil
        case (_, .forked): return Self.forked(name)
        default: return nil
        }
    }

    /// Somebody signs other words under the same numbers.
    private static func forked(_ name: String) -> String {
        "\(name) is written twice: two different lines are signed with one key and number, as where "
            + "the folder of a session was copied, or by a writer who lies. No more of it is shown."
    }

    /// Lines of a log that are nowhere to be had.
    ///
    /// - Parameter log: nil for the main one.
    static func gap(_ from: Int, _ through: Int, in log: LogTitle?) -> String {
        let name = log.map { " of \"\($0.label)\"" } ?? ""
        let isOne = from == through
        let lines = isOne ? "Line \(from)\(name) is" : "Lines \(from) to \(through)\(name) are"
        let what = isOne ? "it" : "them"
        return "\(lines) missing: the machine that serves you no longer has \(what)."
    }
}
