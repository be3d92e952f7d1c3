import BeamscribeCore
import BeamscribeIO

/// How a host ends: what was begun goes out, everybody is told, who is slow is waited for.
///
/// An event that ends has its last lines translated, and may serve those who come late, before its host
/// parts from its guests; a host that is stopped parts at once.
///
/// Invariant: the stages follow one another and none comes twice; everybody is told before the parting.
final class HostEnding {
    private enum Stage {
        case on
        /// The event is over, but for what is still translated.
        case finishing
        /// It is over, and whoever comes late gets it.
        case lingering
        /// Guests take the rest, and go.
        case parting
        case done
    }

    /// How many readers there are who are no guests of the wire.
    var otherReaders: () -> Int = { 0 }
    /// Told before everybody is told.
    var leaving: (Alert.Kind, String) -> Void = { _, _ in }
    /// Whether nothing is on its way to others but by the server.
    var linksAreGone: () -> Bool = { true }
    /// Told once all is done.
    var done: () -> Void = {}
    /// Somebody has ended the event, rather than stopped this host of it.
    private(set) var isEventOver = false
    private var stage = Stage.on
    /// How many readers heard the goodbye.
    private var guests = 0
    /// The programs that gave the input and translated it run no more.
    private var areProgramsGone = false
    private let log: EventLog
    private let room: Room
    private let captions: HostCaptions
    private let server: HostServer
    private let journal: HostJournal
    /// Of the event's other logs; nil where nobody keeps them.
    private let others: ShelfJournal?
    private let sides: SideLogs
    private let announcement: HostAnnouncement
    private let linger: Duration
    private let news: EventBuffer<HostNews>
    private let loop: any Loop
    /// Begins the end, or the next of its stages.
    @OwnedTimer private var next: LoopTimer?

    init(
        of log: EventLog, _ room: Room, _ captions: HostCaptions, _ server: HostServer,
        _ journal: HostJournal, _ sides: SideLogs, others: ShelfJournal?,
        _ announcement: HostAnnouncement, linger: Duration,
        telling news: EventBuffer<HostNews>, on loop: any Loop
    ) {
        (self.log, self.room, self.captions, self.server) = (log, room, captions, server)
        (self.journal, self.sides, self.others) = (journal, sides, others)
        (self.announcement, self.linger) = (announcement, linger)
        (self.news, self.loop) = (news, loop)
        server.allGone = { [unowned self] in finishIfDone() }
    }

    // MARK: Beginnings

    /// The input has ended, and the event with it, unless the host is stopped at this moment.
    func endSoon() {
        next = loop.schedule(after: Limits.inputEndSettling) { [unowned self] in endEvent() }
    }

    /// Nobody has anything to give captions with. Whoever tells of it is in the midst of a step.
    func cannotGoOn() {
        next = loop.schedule(after: .zero) { [unowned self] in if stage == .on { stop() } }
    }

    func endEvent() {
        guard stage == .on else { return }
        (stage, isEventOver, next) = (.finishing, true, nil)
        captions.finish(translated: { [self] in endAll() }, gone: { [self] in programsAreGone() })
    }

    func stop() {
        switch stage {
        case .on:
            captions.close { [self] in programsAreGone() }
            part()
        case .finishing: captions.hurry()
        case .lingering, .parting: finish()
        case .done: break
        }
    }

    // MARK: Stages

    /// Everything is said.
    private func endAll() {
        // Of an event without a line there is nothing to be read.
        guard linger > .zero, log.lastSeq > 0 || sides.hasTalkersLines else { return part() }
        sayGoodbye()
        stage = .lingering
        journal.noteEnd(guests: guests)
        news.push([.lingering(linger)])
        next = loop.schedule(after: linger) { [unowned self] in part() }
    }

    private func sayGoodbye() {
        guests = room.counts.stable + room.counts.syncing + otherReaders()
        let kind = isEventOver ? Alert.Kind.ended : .hostDisconnected
        let message = isEventOver ? "The event has ended." : "The host has stopped."
        sides.end(kind, message)
        leaving(kind, message)
        server.finish(kind, message)
    }

    /// Lets nobody in any more, and ends once all have gone.
    private func part() {
        announcement.stop()
        server.stopListening()
        if stage != .lingering { sayGoodbye() }
        stage = .parting
        next = loop.schedule(after: Limits.partingPatience) { [unowned self] in
            if server.hasConnections { news.push([.waitingForGuests(room.connectionCount)]) }
        }
        finishIfDone()
    }

    private func programsAreGone() {
        areProgramsGone = true
        finishIfDone()
    }

    /// To be called once the last of the links is gone, too.
    func finishIfDone() {
        if stage == .parting, areProgramsGone, !server.hasConnections, linksAreGone() { finish() }
    }

    private func finish() {
        (stage, next) = (.done, nil)
        server.stopListening()
        others?.close(eventIsOver: isEventOver)
        let state = isEventOver ? SessionRecord.State.ended : .stopped
        let events = journal.close(state, guests: guests)
        sides.close(state, guests: guests)
        news.push(events.map { [counts = room.counts] in .guests($0, counts) })
        if log.isFailing(.disk) || sides.unsavedLines > 0 {
            let saved = log.isFailing(.disk) ? log.place(of: .disk)?.lastSeq : nil
            let ofMain = saved.map { log.lastSeq - $0 } ?? 0
            news.push([.unsaved(lines: ofMain + sides.unsavedLines)])
        }
        announcement.end()
        // What the server still does is not told to a host that may go any moment.
        (server.report, server.acceptTrouble, server.allGone) = ({ _ in }, { _ in }, {})
        news.push([.finished(lines: captions.saidLines, isOver: isEventOver)])
        done()
    }
}
