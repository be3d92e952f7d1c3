/// Looks for lines of an event in all of its logs that its host writes, from the newest to the oldest.
///
/// Invariant: `searches` are of the logs that were there when it began, the main one first.
public struct EventSearch: Sendable {
    private let wanted: String
    private let limit: Int
    private var searches: [(log: String, search: LineSearch)]?

    /// - Parameters:
    ///   - wanted: words that the line holds, whether capital or small, or its number in its log.
    ///   - limit: only lines before this place among those of the event's logs.
    public init(for wanted: String, before limit: Int = .max) {
        (self.wanted, self.limit) = (wanted, limit)
    }

    /// Whether all lines were looked at.
    public var isOver: Bool { searches?.allSatisfy(\.search.isOver) ?? false }

    /// What was found, the newest first. A line is told once no newer one can be found in another log.
    public var found: [RecentLines.Line] {
        let searches = searches ?? []
        let reached = searches.filter { !$0.search.isOver }.map(\.search.reached).max() ?? 0
        return searches.enumerated().flatMap { index, entry in
            entry.search.found.map { index == 0 ? $0 : $0.inLog(entry.log) }
        }
        .filter { $0.at >= reached }.sorted { $0.at > $1.at }
    }

    /// Looks at the next stretch of each log that is behind the others.
    ///
    /// - Parameter logs: the main one first.
    package mutating func look(at logs: [EventLog], lines: Int = Limits.searchedLines) {
        var searches =
            searches
            ?? logs.map { ($0.session.wireName, LineSearch(for: wanted, before: limit)) }
        let reached = searches.filter { !$0.search.isOver }.map(\.search.reached).max() ?? 0
        for index in searches.indices where searches[index].search.reached == reached {
            let log = logs.first { $0.session.wireName == searches[index].log }
            if let log { searches[index].search.look(at: log, lines: lines) }
        }
        self.searches = searches
    }
}
