/// What is kept of each line that is open, by the lines' ids. With too many of them the oldest gives
/// way: an input that opens line upon line and ends none must not cost memory without end.
///
/// Invariant: no two of `entries` are of the same line, and there are at most `limit`.
public struct OpenLines<ID: Equatable, Value> {
    /// A line and what is kept of it.
    public struct Entry {
        /// The line.
        public let id: ID
        /// What is kept of it.
        public fileprivate(set) var value: Value
    }

    /// The lines, the oldest first.
    public private(set) var entries: [Entry] = []
    private let limit: Int

    /// No line is open.
    ///
    /// - Parameter limit: how many may be.
    public init(limit: Int = Limits.openLines) {
        self.limit = limit
    }

    /// What is kept of a line; nil for one that is not open.
    public subscript(id: ID) -> Value? { index(of: id).map { entries[$0].value } }

    /// Whether a line is open.
    public func contains(_ id: ID) -> Bool { index(of: id) != nil }

    /// Keeps `value` of a line, which is the newest from now on.
    ///
    /// - Returns: what was kept of the oldest line, where it has given way.
    @discardableResult
    public mutating func renew(_ id: ID, _ value: Value) -> Entry? {
        close(id)
        return set(id, value)
    }

    /// Keeps `value` of a line, which stays in its place where it is open already.
    ///
    /// - Returns: what was kept of the oldest line, where it has given way.
    @discardableResult
    public mutating func set(_ id: ID, _ value: Value) -> Entry? {
        if let index = index(of: id) {
            entries[index].value = value
            return nil
        }
        let oldest = entries.count < limit ? nil : entries.removeFirst()
        entries.append(Entry(id: id, value: value))
        return oldest
    }

    /// What would give way to a line; nil where it is open already, or there is room.
    public func displaced(by id: ID) -> Entry? {
        entries.count < limit || contains(id) ? nil : entries.first
    }

    /// The line is open no more.
    ///
    /// - Returns: what was kept of it; nil where it was not open.
    @discardableResult
    public mutating func close(_ id: ID) -> Value? {
        index(of: id).map { entries.remove(at: $0).value }
    }

    /// No line is open any more.
    public mutating func closeAll() { entries = [] }

    /// Changes what is kept of every line.
    public mutating func changeAll(_ change: (inout Value) -> Void) {
        for index in entries.indices { change(&entries[index].value) }
    }

    private func index(of id: ID) -> Int? { entries.firstIndex { $0.id == id } }
}

extension OpenLines.Entry: Sendable where ID: Sendable, Value: Sendable {}
extension OpenLines: Sendable where ID: Sendable, Value: Sendable {}
extension OpenLines.Entry: Equatable where Value: Equatable {}
extension OpenLines: Equatable where Value: Equatable {}
