import BeamscribeCore

/// What a reception is to do, said as simply as possible. Where chance decides, it says among whom.
struct ReceptionModel {
    enum Phase { case silent, waiting, speaking }

    struct Stranger {
        let id: ConnectionID
        let source: String
        var phase = Phase.silent
        var deadline: Duration
        var since = Duration.zero
        var isUnwelcome = false
    }

    let places: Reception.Places
    /// In the order in which they entered their phase.
    var strangers: [Stranger] = []

    func count(_ phase: Phase) -> Int { strangers.count { $0.phase == phase } }

    var nextDeadline: Duration? {
        if strangers.contains(where: \.isUnwelcome) { return .zero }
        return strangers.filter { $0.phase != .waiting }.map(\.deadline).min()
    }

    mutating func arrived(_ id: ConnectionID, from source: String, _ now: Duration) {
        left(id)
        strangers.append(Stranger(id: id, source: source, deadline: now + .seconds(10)))
    }

    mutating func spoke(_ id: ConnectionID, _ now: Duration) {
        guard let index = strangers.firstIndex(where: { $0.id == id && $0.phase == .silent }) else {
            return
        }
        var stranger = strangers.remove(at: index)
        (stranger.phase, stranger.since) = (.waiting, now)
        strangers.append(stranger)
    }

    /// The sources that have the most of a phase, one more counted for a newcomer's; each with its
    /// strangers.
    private func greatest(_ phase: Phase, with newcomer: String? = nil) -> [[Stranger]] {
        let groups = Dictionary(grouping: strangers.filter { $0.phase == phase }, by: \.source)
        let counted = groups.mapValues { $0.count + ($0[0].source == newcomer ? 1 : 0) }
        let most = max(counted.values.max() ?? 0, newcomer == nil ? 0 : 1)
        return groups.filter { counted[$0.key] == most }.map(\.value)
    }

    /// Who may be the one too many; empty where there are not too many.
    var silentSurplus: [ConnectionID] {
        count(.silent) > places.silent ? greatest(.silent).map { $0[0].id } : []
    }

    var waitingSurplus: [ConnectionID] {
        count(.waiting) > places.waiting ? greatest(.waiting).map { $0[$0.count - 1].id } : []
    }

    /// Whether a turn is as it may be; takes it over.
    mutating func allows(_ beginning: Reception.Beginning, _ now: Duration) -> Bool {
        switch beginning {
        case .nobody: return count(.waiting) == 0
        case .later(let due):
            guard count(.speaking) >= places.speaking, due > now else { return false }
            let sources = Set(strangers.filter { $0.phase == .waiting }.map(\.source))
            return sources.contains { room(for: $0, now).due == due }
        case .now(let id, let other):
            guard let stranger = strangers.first(where: { $0.id == id && $0.phase == .waiting }),
                id
                    == strangers.first(where: {
                        $0.phase == .waiting && $0.source == stranger.source
                    })?.id
            else { return false }
            if let other {
                guard count(.speaking) >= places.speaking,
                    room(for: stranger.source, now).ready.contains(other)
                else { return false }
            } else if count(.speaking) >= places.speaking {
                return false
            }
            begin(stranger, insteadOf: other, now)
            return true
        }
    }

    private mutating func begin(
        _ stranger: Stranger, insteadOf other: ConnectionID?, _ now: Duration
    ) {
        if let other { left(other) }
        left(stranger.id)
        var stranger = stranger
        stranger.deadline = stranger.isUnwelcome ? now : stranger.deadline + now - stranger.since
        (stranger.phase, stranger.since, stranger.isUnwelcome) = (.speaking, now, false)
        strangers.append(stranger)
    }

    /// Who may be pushed out for a newcomer of a source, and when somebody may.
    private func room(
        for source: String, _ now: Duration
    ) -> (ready: [ConnectionID], due: Duration?) {
        let greatest = greatest(.speaking, with: source)
        let most = greatest.map(\.count).max() ?? 0
        let own = strangers.count { $0.phase == .speaking && $0.source == source } + 1
        let waiting = Set(strangers.filter { $0.phase == .waiting }.map(\.source)).count
        let patience: Duration =
            most > own && most > places.speaking / 4
            ? .zero
            : waiting > places.speaking ? .milliseconds(250) : .seconds(waiting == 1 ? 3 : 1)
        let due = greatest.map { ($0[0].id, $0[0].since + patience) }
        return (due.filter { $0.1 <= now }.map(\.0), due.map(\.1).min())
    }

    mutating func left(_ id: ConnectionID) { strangers.removeAll { $0.id == id } }

    mutating func hurry(_ source: String, _ now: Duration) {
        for index in strangers.indices where strangers[index].source == source {
            if strangers[index].phase == .waiting {
                strangers[index].isUnwelcome = true
            } else {
                strangers[index].deadline = now
            }
        }
    }

    mutating func overdue(_ now: Duration) -> [ConnectionID] {
        let overdue = strangers.filter {
            $0.isUnwelcome || $0.phase != .waiting && $0.deadline <= now
        }
        strangers.removeAll { stranger in overdue.contains { $0.id == stranger.id } }
        return overdue.map(\.id).sorted()
    }
}
