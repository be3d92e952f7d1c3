/// The logs of an event that a guest brings to whoever serves it: one that is written here, and those that
/// others bring who are served here, so that whoever is on the way to the rest of the event passes them on. Of
/// those that are not let in yet he asks for that.
///
/// Invariant: before captions of a log come, it is said that they are of that one.
final class OfferedLogs {
    private(set) var own: OfferedLog?
    private var passedOn: [OfferedLog] = []
    /// What this connection was asked to let in for others, and what of that is to be sent.
    private var asks = PassedAsks()
    private var asking: [UInt8] = []
    /// The log that the captions are of that go out; nil for none yet.
    private var active: OfferedLog?
    /// Whether it was said that there is something to be sent, and not all of it was taken since.
    private var isAnnounced = false
    private let encoder = FrameEncoder()

    private var all: [OfferedLog] { [own].compactMap(\.self) + passedOn }

    /// A log that is written here is offered from now on, in place of an older one.
    func offer(_ log: EventLog) { own = OfferedLog(log) }

    /// It is known who serves the event: the log that is written here is introduced.
    ///
    /// - Parameter grant: what lets it in, as a packet, where that is known.
    func begin(lettingIn grant: [UInt8]?, _ timing: Timing, now: Moment) {
        own?.begin(lettingIn: grant, timing, now: now)
    }

    /// The connection is gone.
    func end() {
        (passedOn, active, isAnnounced) = ([], nil, false)
        (asks, asking) = (PassedAsks(), [])
        own?.end()
    }

    /// Those who are served here bring these, and ask for others.
    ///
    /// - Parameter pause: how long the other side need not be told again that a writer is still there.
    /// - Returns: whether there is something to be sent, once until all of it is taken.
    func passOn(
        _ brought: [Shelf.Served], askingFor standing: [PassedAsks.Ask],
        headsEvery pause: Duration = .zero, _ timing: Timing, now: Moment
    ) -> Bool {
        for ask in asks.due(standing, now: now.uptime) { asking += FrameEncoder.frame(ask.record) }
        for served in brought {
            if let known = passedOn.first(where: { $0.log === served.log }) {
                known.tick(timing, every: pause, now: now)
                known.follow(served)
                continue
            }
            passedOn.removeAll { $0.log.session == served.log.session }
            let new = OfferedLog(served.log)
            new.begin(lettingIn: served.grant, timing, now: now)
            guard new.isIntroduced else { continue }
            new.follow(served)
            passedOn.append(new)
        }
        guard !isAnnounced, !asking.isEmpty || passedOn.contains(where: { $0.isOwed }) else {
            return false
        }
        isAnnounced = true
        return true
    }

    /// Time has passed, or something was said in the log that is written here.
    func tick(_ timing: Timing, now: Moment) { own?.tick(timing, now: now) }

    /// The other side wants the lines of a log.
    ///
    /// - Returns: whether it is the one that is written here, and it did not want them before.
    func take(_ request: ReadRequest) -> Bool {
        // Who asks again may have missed of which log the captions are.
        active = nil
        passedOn.forEach { _ = $0.take(request) }
        return own?.take(request) ?? false
    }

    /// It wants them no more.
    func take(_ mention: LogMention) { all.forEach { $0.take(mention) } }

    /// Another writer has said this.
    func note(place: Int, isMain: Bool = false) { own?.note(place: place, isMain: isMain) }

    /// What is to be sent next, at most about `limit` bytes; empty for nothing.
    func output(limit: Int) -> [UInt8] {
        if !asking.isEmpty {
            defer { asking = [] }
            return asking
        }
        for offered in all {
            let bytes = offered.output(limit: limit)
            guard !bytes.isEmpty else { continue }
            guard offered.isRead, active !== offered else { return bytes }
            active = offered
            let mention = LogMention(offered.log.session.wireName)
            // Encoding fails for numbers that are not finite only, and this packet holds none.
            return ((try? encoder.frame(.inLog(mention))) ?? []) + bytes
        }
        isAnnounced = false
        return []
    }
}
