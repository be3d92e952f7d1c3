import BeamscribeCore

/// What a node's reader has been shown.
///
/// Invariant: of each log the lines shown are consecutive from the first, and their writer's; what was said to
/// some alone is shown to those alone, and once.
struct MeshView {
    private let number: Int
    private var logs = OtherLogsView(.beginning)
    private var secrets: Set<String> = []
    private var met: Set<String> = []
    /// The lines of all logs, as they came.
    private(set) var lines: [Line] = []

    /// A line's place among those of all logs.
    struct Line: Equatable, Comparable {
        let at: Int
        let session: String
        let seq: Int

        static func < (first: Self, second: Self) -> Bool {
            (first.at, first.session, first.seq) < (second.at, second.session, second.seq)
        }
    }

    /// - Parameter number: the node's.
    init(of number: Int) { self.number = number }

    /// - Returns: what is wrong; nil where nothing is.
    mutating func take(_ event: GuestEvent, on stage: MeshStage) -> String? {
        if case .log(let log, _) = event { met.insert(log.session) }
        guard case .inLog(let log, let said) = event else { return nil }
        guard case .line(let line) = said else {
            return logs.take(said, of: log, among: stage.logs)
        }
        if let audience = stage.audience(of: line.text) {
            guard audience.contains(number) else { return "it shows what was said to others" }
            return secrets.insert(line.text).inserted ? nil : "it shows twice what was said to it"
        }
        lines.append(Line(at: line.at, session: log.session, seq: line.seq))
        return logs.take(said, of: log, among: stage.logs)
    }

    /// Whether it was told how a log stands, and so has what its writer has signed.
    func hasMet(_ session: String) -> Bool { met.contains(session) }

    /// Whether something was shown that was said to some alone.
    func hasHeard(_ secret: String) -> Bool { secrets.contains(secret) }

    /// The newest line of a log.
    func last(of log: WrittenLog) -> Int { logs.last(of: log) }
}
