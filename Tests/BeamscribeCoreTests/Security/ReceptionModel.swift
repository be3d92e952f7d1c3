import BeamscribeCore

/// What a reception is to do, said as simply as possible.
struct ReceptionModel {
    struct Stranger {
        let id: ConnectionID
        let source: String
        var deadline: Duration
        var isSpeaking = false
        var began = Duration.zero
    }

    let limits: (silent: Int, speaking: Int)
    /// In the order in which they entered their phase.
    var strangers: [Stranger] = []

    mutating func arrived(_ id: ConnectionID, from source: String, _ now: Duration)
        -> Desk.Arrival
    {
        left(id)
        strangers.append(Stranger(id: id, source: source, deadline: now + .seconds(10)))
        let other = surplus(speaking: false, limits.silent)
        if let other { left(other.id) }
        return .wait(sendingAway: other?.id)
    }

    mutating func begin(_ id: ConnectionID, _ now: Duration) -> Reception.Beginning {
        guard let index = strangers.firstIndex(where: { $0.id == id && !$0.isSpeaking }) else {
            return .now(sendingAway: nil)
        }
        let before = strangers
        var stranger = strangers.remove(at: index)
        (stranger.isSpeaking, stranger.began) = (true, now)
        strangers.append(stranger)
        guard let other = surplus(speaking: true, limits.speaking) else {
            return .now(sendingAway: nil)
        }
        let speaking = strangers.filter(\.isSpeaking)
        let most = speaking.filter { $0.source == other.source }.count
        let own = speaking.filter { $0.source == stranger.source }.count
        let many: Duration = most > limits.speaking / 2 ? .milliseconds(200) : .seconds(1)
        let due = other.began + (most > own ? .zero : many)
        if now < due {
            strangers = before
            return .later(due)
        }
        left(other.id)
        return .now(sendingAway: other.id)
    }

    /// Who has to go where there are more than `limit`.
    private func surplus(speaking: Bool, _ limit: Int) -> Stranger? {
        let crowd = strangers.filter { $0.isSpeaking == speaking }
        guard crowd.count > limit else { return nil }
        let held = { (source: String) in crowd.filter { $0.source == source }.count }
        let most = crowd.map { held($0.source) }.max()
        return crowd.first { held($0.source) == most }
    }

    mutating func left(_ id: ConnectionID) { strangers.removeAll { $0.id == id } }

    mutating func hurry(_ source: String, _ now: Duration) {
        for index in strangers.indices where strangers[index].source == source {
            strangers[index].deadline = now
        }
    }

    mutating func overdue(_ now: Duration) -> Set<ConnectionID> {
        let overdue = strangers.filter { $0.deadline <= now }.map(\.id)
        strangers.removeAll { $0.deadline <= now }
        return Set(overdue)
    }
}
