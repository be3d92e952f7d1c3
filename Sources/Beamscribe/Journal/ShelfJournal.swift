import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials

/// Keeps on the disk an event's other logs, which others write: each as a session of its own that is only
/// held here. A log that this machine writes itself, or that another program keeps, stays in memory.
///
/// Invariant: each log of the shelf that has lines for others has one journal, and no other log has one.
final class ShelfJournal {
    /// Told when the disk has answered, or is to be tried again.
    var isDue: () -> Void = {}
    /// Told why the disk takes nothing of one of them, and with nil that it has all again.
    var storageChanged: (String?) -> Void = { _ in }

    /// Told that a log, by its label, stays in memory, and why.
    var notKept: (String, KeepingTrouble) -> Void = { _, _ in }

    /// Why logs were not read back, or not all of them, by their labels.
    private(set) var damages: [(log: String, damage: OtherLogDamage)] = []

    private let shelf: Shelf
    private let keeping: HeldLogJournal.Keeping
    private let surroundings: any Surroundings
    private let crypto: LogSHA256
    private var journals: [String: HeldLogJournal] = [:]
    private var isFailing = false
    private var isClosed = false

    init(
        of shelf: Shelf, _ keeping: HeldLogJournal.Keeping, in surroundings: any Surroundings
    ) throws(TLSError) {
        (self.shelf, self.keeping, self.surroundings) = (shelf, keeping, surroundings)
        crypto = try LogSHA256()
        shelf.isStoredFirst = true
    }

    /// Reads back what was kept of an event's other logs. A log that its writer has not signed, or
    /// that belongs to another program, stays as it is.
    func takeUp(_ event: String) {
        for entry in keeping.store.others(of: event)
        // Lines for some alone came by a mesh, and are nothing for anybody else.
        where shelf.isOfMesh || !entry.record.isPrivate {
            guard let stored = try? keeping.store.openHeld(entry.record.session) else { continue }
            do throws(OtherLogDamage) {
                journals[entry.record.session] = journal(
                    of: Self.label(of: stored.record), after: try takeUp(stored))
            } catch {
                note(error, of: entry.record)
            }
        }
        store()
    }

    /// Says which logs of somebody else's event this machine has written: only the program that writes
    /// one serves it.
    func noteOwn(in event: String) {
        for entry in keeping.store.own(in: event) { note(.own, of: entry.record) }
    }

    private func takeUp(_ stored: StoredSession) throws(OtherLogDamage) -> KeptLog {
        let (kept, now): (KeptLog, Moment)
        now = surroundings.network.loop.now
        do throws(KeepingTrouble) {
            kept = try KeptLog(
                stored, heldBy: keeping.deviceName, limit: Limits.shelvedLog, by: crypto, now: now)
        } catch .system(let error) {
            throw .system(error)
        } catch {
            throw .notProven
        }
        let grant = stored.record.held?.grant.map(Array.init)
        guard shelf.takeUp(kept.held, letInBy: grant, now: now) else { throw .notLetIn }
        let (damaged, missing) = (kept.held.damaged, kept.held.missingEnd)
        if !damaged.isEmpty || missing != nil || kept.tail != nil {
            note(
                .lines(damaged: damaged, missingEnd: missing, tail: kept.tail), of: stored.record)
        }
        return kept
    }

    private func note(_ damage: OtherLogDamage, of record: SessionRecord) {
        damages.append((Self.label(of: record), damage))
    }

    private static func label(of record: SessionRecord) -> String {
        record.title?.label ?? String(record.session.prefix(8))
    }

    /// Stores what has come, so that it may be shown.
    func store() {
        guard !isClosed else { return }
        let held = shelf.held
        for log in held {
            guard let event = log.event else { continue }
            let journal = journals[log.session] ?? journal(of: log.label, after: nil)
            journals[log.session] = journal
            journal.store(log.log, of: event, letInBy: log.grant)
        }
        for session in Set(journals.keys).subtracting(held.map(\.session)) {
            journals.removeValue(forKey: session)?.close(eventIsOver: false)
        }
        noteFailures()
    }

    private func journal(of label: String, after kept: KeptLog?) -> HeldLogJournal {
        let journal = HeldLogJournal(keeping, after: kept, by: crypto, in: surroundings)
        journal.isDue = { [unowned self] in isDue() }
        journal.tell = { [unowned self] in
            switch $0 {
            case .storage(let events): note(events)
            case .notKept(let why): notKept(label, why)
            case .begun, .takenUp: break
            }
        }
        return journal
    }

    /// The disk is one: it is told once that it fails.
    private func note(_ events: [HostEvent]) {
        for case .storageFailed(let why) in events where !isFailing {
            isFailing = true
            storageChanged(why)
        }
    }

    private func noteFailures() {
        guard isFailing, !journals.values.contains(where: \.isFailing) else { return }
        isFailing = false
        storageChanged(nil)
    }

    /// Stores the rest; nothing is stored any more.
    ///
    /// - Parameter isOver: whether the event is over.
    func close(eventIsOver isOver: Bool) {
        for journal in journals.values { journal.close(eventIsOver: isOver) }
        (journals, isClosed) = ([:], true)
    }
}
