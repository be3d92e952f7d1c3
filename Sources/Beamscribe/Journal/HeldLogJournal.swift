import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials

/// Keeps on the disk one log that is held for its writer.
///
/// Invariant: what the disk has of it are its lines up to one, as its writer has signed them, or was when
/// a newer run began; a session that is not only held here is never touched.
final class HeldLogJournal {
    /// How logs of others are kept.
    struct Keeping {
        let store: SessionStore
        /// For how many seconds; nil for as it was, or until somebody deletes them.
        var age: Double?
        /// Where the event is joined, as the user has given it.
        var address: String?
        /// This machine's name for people.
        let deviceName: String
        let timing: Timing
    }

    /// What becomes of keeping it.
    enum News {
        /// There are files of it.
        case begun
        /// What was there already is gone on with.
        case takenUp(KeptLog)
        /// It is in memory alone.
        case notKept(KeepingTrouble)
        /// The disk fails, or does not any more.
        case storage([HostEvent])
    }

    /// Told when the disk has answered, or is to be tried again.
    var isDue: () -> Void = {}
    /// Told what becomes of it.
    var tell: (News) -> Void = { _ in }

    private let keeping: Keeping
    private let surroundings: any Surroundings
    private let crypto: LogSHA256
    private var stage: Stage
    /// Whether it is to be told that the log is kept, once there are files.
    private var isNews = false

    private enum Stage {
        /// The log has not come yet.
        case waiting(KeptLog?)
        /// The disk has more of it than has come again.
        case catchingUp(EventLog, KeptLog)
        case keeping(EventLog, SessionJournal)
        /// The log is in memory alone.
        case memory(EventLog)
        case closed
    }

    private var now: Moment { surroundings.network.loop.now }

    /// - Parameter kept: what is gone on with.
    init(
        _ keeping: Keeping, after kept: KeptLog?, by crypto: LogSHA256,
        in surroundings: any Surroundings
    ) {
        (self.keeping, self.crypto, self.surroundings) = (keeping, crypto, surroundings)
        stage = .waiting(kept)
    }

    // MARK: Storing

    /// Stores what has come, before anybody is served with it.
    ///
    /// - Parameters:
    ///   - event: the log as an event by itself.
    ///   - grant: what lets it into the event of another, as a packet.
    func store(_ log: EventLog, of event: JoinedEvent, letInBy grant: [UInt8]? = nil) {
        take(log, of: event)
        if case .catchingUp(_, let kept) = stage { catchUp(with: kept, log, of: event) }
        guard case .keeping(_, let journal) = stage else { return }
        if let last = log.takeStorageGap() { journal.note { $0.note(gapThrough: last, in: log) } }
        tell(journal.store())
        if isNews, journal.stored != nil {
            isNews = false
            tell(.begun)
        }
        noteProofs(of: log, letInBy: grant, in: journal)
    }

    private func take(_ log: EventLog, of event: JoinedEvent) {
        switch stage {
        case .closed: break
        case .waiting(let kept?) where kept.held.log.runs == log.runs:
            let old = kept.held.log
            goOn(in: kept.stored, with: old, of: event, through: old.lastSeq, at: kept.end)
            // Its writer is put out by now, say.
            if old !== log { take(log, of: event) }
        case .waiting: begin(log, of: event)
        case .keeping(let old, let journal) where old !== log:
            guard let stored = journal.stored else {
                _ = close(journal, of: old)
                return begin(log, of: event)
            }
            follow(log, of: event, in: stored, after: old)
        case .catchingUp(let old, let kept) where old !== log:
            log.remove(.disk)
            stage = .catchingUp(log, kept)
        case .memory(let old) where old !== log: stayInMemory(log)
        case .keeping, .catchingUp, .memory: break
        }
    }

    /// Nobody waits for a disk that does not get it.
    private func stayInMemory(_ log: EventLog) {
        log.remove(.disk)
        stage = .memory(log)
    }

    /// A log that was not kept here up to now, or is again.
    private func begin(_ log: EventLog, of event: JoinedEvent) {
        // What is waited for has the lock.
        stayInMemory(log)
        do throws(SessionStoreError) {
            let stored = try keeping.store.openHeld(log.session.wireName)
            guard stored.record.writer == event.writer else {
                return tell(.notKept(.notProven(session: event.session)))
            }
            catchUp(in: stored, log)
        } catch {
            switch error {
            case .notFound: keep(log, of: event, in: .new(keeping.store), through: 0, at: 0)
            case .inUse: tell(.notKept(.inUse))
            case .own, .held: tell(.notKept(.ownEvent))
            case .damaged(let session): tell(.notKept(.notProven(session: session)))
            case .system(let error): tell(.notKept(.system(error)))
            }
        }
    }

    private func catchUp(in stored: StoredSession, _ log: EventLog) {
        do throws(KeepingTrouble) {
            let kept = try KeptLog(
                stored, heldBy: keeping.deviceName, by: crypto, now: now)
            tell(.takenUp(kept))
            stage = .catchingUp(log, kept)
        } catch {
            tell(.notKept(error))
        }
    }

    /// The disk has lines that may be more than those that have come again.
    private func catchUp(with kept: KeptLog, _ log: EventLog, of event: JoinedEvent) {
        let (old, newest) = (kept.held.log, kept.held.log.lastSeq)
        let valid = log.runs.valid(through: newest, of: old.runs.current)
        guard log.runs.current >= old.runs.current, log.lastSeq >= valid else { return }
        if valid == newest, let hash = log.hash(before: newest + 1), hash != kept.held.hash {
            stage = .memory(log)
            return tell(.notKept(.notProven(session: event.session)))
        }
        goOn(
            in: kept.stored, with: log, of: event, through: valid,
            at: valid < newest ? nil : kept.end)
    }

    /// Its writer has been started anew, or is put out. Withdrawn lines go from the disk as well, before
    /// the new run is noted.
    private func follow(
        _ log: EventLog, of event: JoinedEvent, in stored: StoredSession, after old: EventLog
    ) {
        guard let place = old.place(of: .disk) else { return begin(log, of: event) }
        let valid = log.runs.valid(through: place.lastSeq, of: old.runs.current)
        if let gap = old.firstGap, gap.lowerBound <= valid, !log.lacks(gap.lowerBound) {
            return mend(
                log, of: event, in: stored, after: min(log.lastSeq, gap.lowerBound - 1),
                at: place.fileOffset)
        }
        let seq = min(valid, log.lastSeq)
        goOn(
            in: stored, with: log, of: event, through: seq,
            at: seq < place.lastSeq ? nil : place.frameOffset)
    }

    /// The reading went back to lines that the disk lacks: those behind come again, too. What the
    /// disk has of them is kept in a file of its own.
    private func mend(
        _ log: EventLog, of event: JoinedEvent, in stored: StoredSession, after seq: Int,
        at end: UInt64
    ) {
        do throws(SystemError) {
            let start = try stored.files.log.offset(behind: seq)
            if start < end, case .stays(let error) = stored.files.cutOff(start..<end) {
                throw error
            }
            keep(log, of: event, in: .resumed(stored), through: seq, at: start)
        } catch {
            // The disk stays as it is.
            stayInMemory(log)
            tell(.notKept(.system(error)))
        }
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
        else { return stayInMemory(log) }
        record.keep = keeping.age
        if case .resumed(let stored) = storage { record.goOn(from: stored.record, through: seq) }
        log.add(.disk, through: seq, at: offset)
        if log.firstSeq > seq + 1 { record.note(gapThrough: log.firstSeq - 1, in: log) }
        let journal = SessionJournal(
            log, as: record, in: storage, keeping.timing, on: surroundings)
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
    private func noteProofs(
        of log: EventLog, letInBy grant: [UInt8]?, in journal: SessionJournal
    ) {
        var record = journal.record
        let written = log.place(of: .disk)?.lastSeq ?? 0
        let safe = record.held?.head == nil ? written : log.confirmedSeq(of: .disk)
        let isNews = record.note(log, through: safe)
        guard record.note(grant: grant) || isNews else { return }
        journal.note { $0 = record }
    }

    private func tell(_ events: [HostEvent]) {
        if !events.isEmpty { tell(.storage(events)) }
    }

    /// Whether the disk does not get it at the moment.
    var isFailing: Bool {
        if case .keeping(let log, _) = stage { log.isFailing(.disk) } else { false }
    }

    // MARK: Ending

    /// Stores the rest; nothing is stored any more.
    ///
    /// - Parameter isOver: whether the event is over to which it belongs; nil where it is its own.
    func close(eventIsOver isOver: Bool? = nil) {
        if case .keeping(let log, let journal) = stage {
            tell(close(journal, of: log, eventIsOver: isOver))
        }
        stage = .closed
    }

    private func close(
        _ journal: SessionJournal, of log: EventLog, eventIsOver isOver: Bool? = nil
    ) -> [HostEvent] {
        journal.close { record in
            _ = record.note(log, through: log.place(of: .disk)?.lastSeq ?? 0)
            let hasEnded = isOver ?? (log.isOver || record.state == .ended)
            record.state = hasEnded ? .ended : .stopped
        }
    }
}
