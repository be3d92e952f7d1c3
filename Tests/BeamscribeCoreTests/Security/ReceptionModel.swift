import BeamscribeCore

/// What a reception is to do, said as simply as possible.
struct ReceptionModel {
    struct Stranger {
        let id: ConnectionID
        let source: String
        var deadline: Duration
        var isSpeaking = false
    }

    let limits: (silent: Int, speaking: Int)
    /// In the order in which they entered their phase.
    var strangers: [Stranger] = []
    var failures: [String: [Duration]] = [:]
    var closedUntil: [String: Duration] = [:]
    var wrongCodes = 0

    func isClosed(_ source: String, _ now: Duration) -> Bool {
        closedUntil[source].map { now < $0 } ?? false
    }

    mutating func arrived(_ id: ConnectionID, from source: String, _ now: Duration)
        -> Reception.Arrival
    {
        if isClosed(source, now) { return .refuse }
        left(id)
        strangers.append(Stranger(id: id, source: source, deadline: now + .seconds(10)))
        return .wait(sendingAway: makeRoom(speaking: false, limits.silent))
    }

    mutating func began(_ id: ConnectionID) -> ConnectionID? {
        guard let index = strangers.firstIndex(where: { $0.id == id && !$0.isSpeaking }) else {
            return nil
        }
        var stranger = strangers.remove(at: index)
        stranger.isSpeaking = true
        strangers.append(stranger)
        return makeRoom(speaking: true, limits.speaking)
    }

    private mutating func makeRoom(speaking: Bool, _ limit: Int) -> ConnectionID? {
        let crowd = strangers.filter { $0.isSpeaking == speaking }
        guard crowd.count > limit else { return nil }
        let held = { (source: String) in crowd.filter { $0.source == source }.count }
        let most = crowd.map { held($0.source) }.max()
        let id = crowd.first { held($0.source) == most }!.id
        left(id)
        return id
    }

    mutating func left(_ id: ConnectionID) { strangers.removeAll { $0.id == id } }

    mutating func failed(_ id: ConnectionID, _ now: Duration) -> Reception.DoorState {
        guard let source = strangers.first(where: { $0.id == id })?.source else {
            return .open(failures: 0)
        }
        wrongCodes += 1
        left(id)
        if isClosed(source, now) { return .open(failures: 5) }
        let recent = failures[source, default: []].filter { now < $0 + .seconds(60) } + [now]
        failures[source] = recent.count < 5 ? recent : []
        if recent.count < 5 { return .open(failures: recent.count) }
        closedUntil[source] = now + .seconds(60)
        for index in strangers.indices where strangers[index].source == source {
            strangers[index].deadline = now
        }
        return .closed(until: now + .seconds(60))
    }

    mutating func overdue(_ now: Duration) -> Set<ConnectionID> {
        let overdue = strangers.filter { $0.deadline <= now }.map(\.id)
        strangers.removeAll { $0.deadline <= now }
        return Set(overdue)
    }
}
