import BeamscribeCore

/// What is said of an event's logs besides its main one.
struct LogWords {
    /// How each was said to stand last, by its session.
    private var told: [String: LogStanding] = [:]
    /// The newest label of each, by its session.
    private var labels: [String: String] = [:]
    /// Who has founded the event; nil while that is not known, and in a mesh, where he is one of several.
    private var founder: Fingerprint?
    /// Whether they are for one who writes in the event, and reads none of it.
    private let areForWriter: Bool

    init(forWriter: Bool = false) { areForWriter = forWriter }

    /// It is known whose event it is.
    mutating func know(_ event: JoinedEvent) { founder = event.isOpen ? nil : event.writer }

    /// Sentences on a log's standing and its new name; nil where nothing is new to people.
    ///
    /// - Parameters:
    ///   - isRead: whether it was asked for.
    ///   - key: what shows it, where a key does.
    mutating func words(
        for log: LogTitle, _ standing: LogStanding, isRead: Bool = false, key: String? = nil
    ) -> String? {
        let old = labels.updateValue(log.label, forKey: log.session)
        let renamed = old.flatMap { old in
            old == log.label
                ? nil
                : "\"\(SafeText.quoted(old))\" is called \(Self.name(of: log)) now."
        }
        let sentences = [renamed, standingWords(for: log, standing, isRead, key)].compactMap(\.self)
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    /// The part of it that says how the log stands.
    private mutating func standingWords(
        for log: LogTitle, _ standing: LogStanding, _ isRead: Bool, _ key: String?
    ) -> String? {
        let name = Self.name(of: log)
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

    /// "Room 2" on balcony, by whatever its writer calls it.
    static func name(of log: LogTitle) -> String {
        "\"\(SafeText.quoted(log.label))\" on \(log.deviceName)"
    }

    /// Somebody signs other words under the same numbers.
    private static func forked(_ name: String) -> String {
        "\(name) is written twice: two different lines are signed with one key and number, as where "
            + "the folder of a session was copied, or by a writer who lies. No more of it is shown."
    }

    /// Words for lines of a log that the machine which serves the guest does not have.
    ///
    /// - Parameter log: nil for the main one.
    static func gap(_ from: Int, _ through: Int, in log: LogTitle?) -> String {
        let (isOne, what) = (from == through, lines(from, through, of: log))
        return
            "\(isOne ? "Line" : "Lines") \(what) \(isOne ? "is" : "are") missing: the machine that "
            + "serves you does not have \(isOne ? "it" : "them")."
    }

    /// Words for lines of the main log that its host does not have.
    static func gapAtHost(_ from: Int, _ through: Int) -> String {
        let (isOne, what) = (from == through, lines(from, through, of: nil))
        return "\(isOne ? "line" : "lines") \(what) \(isOne ? "is" : "are") no longer at the host. "
            + "Its disk may still have \(isOne ? "it" : "them"): try `beamscribe export` there."
    }

    /// Words for lines that were shown or written before, and that are none of the event's: their
    /// writer has lost them, or said them after he was put out.
    ///
    /// - Parameters:
    ///   - log: nil for the main one.
    ///   - fate: what became of them before: "were shown here", for one line "was shown here".
    static func withdrawal(
        _ from: Int, _ through: Int, in log: LogTitle?, _ fate: (_ isOne: Bool) -> String
    ) -> String {
        let isOne = from == through
        let what = "\(isOne ? "line" : "lines") \(lines(from, through, of: log))"
        guard log == nil else {
            return
                "\(what), which \(fate(isOne)), \(isOne ? "counts" : "count") no more: "
                + "\(isOne ? "its" : "their") captioner lost \(isOne ? "it" : "them") when it went down, "
                + "or was put out of the event before."
        }
        return
            "the host has lost \(what), which \(fate(isOne)), when it went down; what follows has "
            + (isOne ? "its number." : "their numbers.")
    }

    /// The same of lines that are in a file.
    ///
    /// - Returns: nil for what is no withdrawal.
    static func withdrawal(_ event: GuestEvent, from file: String) -> String? {
        switch event {
        case .withdrawn(let from, let through), .inLog(_, .withdrawn(let from, let through)):
            withdrawal(from, through, in: event.log) { "\($0 ? "is" : "are") in \(file)" }
        default: nil
        }
    }

    /// "3 of "Room 2"", "3 to 5"
    private static func lines(_ from: Int, _ through: Int, of log: LogTitle?) -> String {
        let name = log.map { " of \"\(SafeText.quoted($0.label))\"" } ?? ""
        return (from == through ? "\(from)" : "\(from) to \(through)") + name
    }
}
