import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials

/// Keeps on the disk what a guest holds of events for their hosts, one after the other.
///
/// Invariant: what the disk has of a log that is kept are its lines up to one, as its writer has signed
/// them, or was when a newer run began; a session that is not only held here is never touched.
final class HolderJournal {
    /// Told when the disk has answered, or is to be tried again.
    var isDue: () -> Void = {}

    private let keeping: HoldingConfiguration.Keeping
    private let configuration: HoldingConfiguration
    private let news: EventBuffer<HolderNews>
    private let surroundings: any Surroundings
    private let crypto: LogSHA256
    private var stage: Stage
    /// Whether it is to be told that the event is kept, once there are files.
    private var isNews = false

    private enum Stage {
        /// No log has come yet.
        case waiting(KeptLog?)
        /// The disk has more of it than has come again.
        case catchingUp(EventLog, KeptLog)
        case keeping(EventLog, SessionJournal)
        /// This log is in memory alone.
        case memory(EventLog)
        case closed
    }

    private var now: Moment { surroundings.network.loop.now }

    /// - Parameter kept: what is gone on with.
    init(
        _ keeping: HoldingConfiguration.Keeping, _ configuration: HoldingConfiguration,
        after kept: KeptLog?, telling news: EventBuffer<HolderNews>,
        in surroundings: any Surroundings
    ) throws(TLSError) {
        (self.keeping, self.configuration, self.news) = (keeping, configuration, news)
        (self.surroundings, stage) = (surroundings, .waiting(kept))
        crypto = try LogSHA256()
        if let kept { news.push([.takenUp(TakenUp(kept, isMet: false))]) }
    }

    // MARK: Storing

    /// Stores what has come, before anybody is served with it.
    func store(_ log: EventLog, of event: JoinedEvent) {
        take(log, of: event)
        if case .catchingUp(_, let kept) = stage { catchUp(with: kept, log, of: event) }
        guard case .keeping(_, let journal) = stage else { return }
        tell(journal.store())
        if isNews, journal.stored != nil {
            isNews = false
            news.push([.keeping(session: event.session)])
        }
        noteProofs(of: log, in: journal)
    }

    private func take(_ log: EventLog, of event: JoinedEvent) {
        switch stage {
        case .closed: break
        case .waiting(let kept?) where kept.held.log === log:
            goOn(in: kept.stored, with: log, of: event, through: log.lastSeq, at: kept.end)
        case .waiting: begin(log, of: event)
        case .keeping(let old, let journal) where old !== log:
            if old.session == log.session, let stored = journal.stored {
                follow(log, of: event, in: stored, after: old)
            } else {
                tell(close(journal, of: old))
                begin(log, of: event)
            }
        case .catchingUp(let old, let kept) where old !== log:
            if old.session == log.session {
                stage = .catchingUp(log, kept)
            } else {
                begin(log, of: event)
            }
        case .memory(let old) where old !== log:
            if old.session == log.session { stage = .memory(log) } else { begin(log, of: event) }
        case .keeping, .catchingUp, .memory: break
        }
    }

    /// A log that was not kept here up to now, or is again.
    private func begin(_ log: EventLog, of event: JoinedEvent) {
        // What another log's files are locked for.
        stage = .memory(log)
        do throws(SessionStoreError) {
            let stored = try keeping.store.openHeld(log.session.wireName)
            guard stored.record.writer == event.writer else {
                return give(.notProven(session: event.session))
            }
            catchUp(in: stored, log)
        } catch {
            switch error {
            case .notFound: keep(log, of: event, in: .new(keeping.store), through: 0, at: 0)
            case .inUse: give(.inUse)
            case .own, .held: give(.ownEvent)
            case .system(let error): give(.system(error))
            }
        }
    }

    private func catchUp(in stored: StoredSession, _ log: EventLog) {
        do throws(KeepingTrouble) {
            let kept = try KeptLog(
                stored, heldBy: configuration.deviceName, by: crypto, now: now)
            news.push([.takenUp(TakenUp(kept, isMet: true))])
            stage = .catchingUp(log, kept)
        } catch {
            give(error)
        }
    }

    private func give(_ trouble: KeepingTrouble) { news.push([.notKept(trouble)]) }

    /// The disk has lines that may be more than those that have come again.
    private func catchUp(with kept: KeptLog, _ log: EventLog, of event: JoinedEvent) {
        let (old, newest) = (kept.held.log, kept.held.log.lastSeq)
        let valid = log.runs.valid(through: newest, of: old.runs.current)
        guard log.runs.current >= old.runs.current, log.lastSeq >= valid else { return }
        if valid == newest, let hash = log.hash(before: newest + 1), hash != kept.held.hash {
            stage = .memory(log)
            return give(.notProven(session: event.session))
        }
        goOn(
            in: kept.stored, with: log, of: event, through: valid,
            at: valid < newest ? nil : kept.end)
    }

    /// Of the same event there is another log: its host has been started anew. What that has withdrawn
    /// goes from the disk as well, before the new run is noted.
    private func follow(
        _ log: EventLog, of event: JoinedEvent, in stored: StoredSession, after old: EventLog
    ) {
        guard let place = old.place(of: .disk) else { return begin(log, of: event) }
        let valid = log.runs.valid(through: place.lastSeq, of: old.runs.current)
        goOn(
            in: stored, with: log, of: event, through: valid,
            at: valid < place.lastSeq ? nil : place.frameOffset)
    }

    /// - Parameter offset: where the lines through `seq` end in the file; nil where that is to be looked
    ///   for.
    private func goOn(
        in stored: StoredSession, with log: EventLog, of event: JoinedEvent, through seq: Int,
        at offset: UInt64?
    ) {
        let file = stored.files.log
        var (seq, end) = (seq, offset ?? 0)
        do throws(SystemError) {
            if offset == nil { end = try file.offset(behind: seq) }
            try file.truncate(to: end)
            try file.synchronize()
        } catch  where offset == nil {
            (seq, end) = (0, 0)
        } catch {
            // What is written covers it, and what is left of it is proven by nothing.
        }
        keep(log, of: event, in: .resumed(stored), through: seq, at: end)
    }

    private func keep(
        _ log: EventLog, of event: JoinedEvent, in storage: HostConfiguration.Storage,
        through seq: Int, at offset: UInt64
    ) {
        guard
            var record = SessionRecord(
                holding: log, of: event, at: keeping.address, now: now.wall)
        else { return }
        record.keep = keeping.age?.seconds
        if case .resumed(let stored) = storage { record.goOn(from: stored.record, through: seq) }
        log.add(.disk, through: seq, at: offset)
        if log.firstSeq > seq + 1 { record.note(gapThrough: log.firstSeq - 1, in: log) }
        let journal = SessionJournal(
            log, as: record, in: storage, configuration.timing, on: surroundings)
        journal.isDue = { [unowned self] events in
            tell(events)
            isDue()
        }
        if case .new = storage { isNews = true }
        stage = .keeping(log, journal)
    }

    // MARK: What proves it

    /// A head in the place of another counts no line that the disk may still lose; the first is better than
    /// none, without which nothing can be served.
    private func noteProofs(of log: EventLog, in journal: SessionJournal) {
        var record = journal.record
        let written = log.place(of: .disk)?.lastSeq ?? 0
        let safe = record.held?.head == nil ? written : log.confirmedSeq(of: .disk)
        guard record.note(log, through: safe) else { return }
        journal.note { $0 = record }
    }

    /// Memory has let go of lines that the disk never got.
    func note(_ events: [HostEvent]) {
        guard case .keeping(let log, let journal) = stage else { return }
        for case .storageGap(_, let last) in events {
            journal.note { $0.note(gapThrough: last, in: log) }
        }
        tell(events)
    }

    private func tell(_ events: [HostEvent]) {
        let own = events.filter(\.isOfStorage)
        if !own.isEmpty { news.push(own.map { .storage($0) }) }
    }

    // MARK: Ending

    /// Stores the rest; nothing is stored any more.
    func close() {
        if case .keeping(let log, let journal) = stage { tell(close(journal, of: log)) }
        stage = .closed
    }

    private func close(_ journal: SessionJournal, of log: EventLog) -> [HostEvent] {
        journal.close { record in
            _ = record.note(log, through: log.place(of: .disk)?.lastSeq ?? 0)
            record.state = log.isOver || record.state == .ended ? .ended : .stopped
        }
    }
}

extension HostEvent {
    fileprivate var isOfStorage: Bool {
        switch self {
        case .storageFailed, .storageRestored, .storageGap: true
        default: false
        }
    }
}
