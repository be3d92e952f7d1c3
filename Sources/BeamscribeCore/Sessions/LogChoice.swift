/// Which of an event's logs a reader wants.
///
/// Invariant: what shows one log alone shows one: of several that are called alike the first that came.
public struct LogChoice: Sendable {
    /// What is wanted, in small letters; empty for all.
    private let names: Set<String>
    /// The one log besides the main one that is wanted alone, once it was seen.
    private var leading: String?

    /// - Parameter names: the logs' names, in which case does not count, or their ids; `floor` for the
    ///   event's main log. Empty, or with one `all`, for all.
    public init(_ names: [String] = []) {
        let known = Set(names.map { $0.lowercased() })
        self.names = known.contains(Self.all) ? [] : known
    }

    private static let all = "all"
    private static let main = LogRecord.mainLabel.lowercased()

    /// Whether the event's main log is wanted.
    public var includesMain: Bool { names.isEmpty || names.contains(Self.main) }

    private func includes(_ log: LogTitle) -> Bool {
        names.isEmpty || names.contains(log.label.lowercased()) || names.contains(log.session)
    }

    /// What of `events` is wanted: what is said in these logs, and all that is no log's.
    public func wanted(_ events: [GuestEvent]) -> [GuestEvent] {
        names.isEmpty ? events : events.filter(includes)
    }

    private func includes(_ event: GuestEvent) -> Bool {
        switch event {
        case .inLog(let log, _): includes(log)
        case .line, .partial, .gap, .withdrawn: includesMain
        default: true
        }
    }

    /// The same for what shows one log alone: the main one, where that is wanted, and else the first that
    /// is, as if it were the main one.
    public mutating func leading(_ events: [GuestEvent]) -> [GuestEvent] {
        let isMain = includesMain
        return events.compactMap { event in
            switch event {
            case .inLog(let log, let event):
                guard !isMain, includes(log) else { return nil }
                leading = leading ?? log.session
                return leading == log.session ? event : nil
            case .line, .partial, .gap, .withdrawn: return isMain ? event : nil
            default: return event
            }
        }
    }
}
