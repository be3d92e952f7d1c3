import BeamscribeCore
import BeamscribeIO

/// What a host keeps of its event: its lines, and in the session's record how it stands.
final class HostJournal {
    /// See ``SessionJournal/isDue``.
    var isDue: ([HostEvent]) -> Void = { _ in }

    private let journal: SessionJournal
    private let log: EventLog

    /// This run of the session begins now.
    init(_ log: EventLog, _ configuration: HostConfiguration, in surroundings: any Surroundings) {
        self.log = log
        let wall = surroundings.network.loop.wall
        var record = Self.record(of: log, configuration, begun: wall)
        record.writer = log.isSigned ? configuration.security.fingerprint : nil
        record.contribution = configuration.contribution ?? configuration.mesh?.contribution
        record.hasCode = configuration.security.hasCode ? true : nil
        if let keep = configuration.keep { record.keep = keep.seconds }
        switch configuration.storage {
        case .none: break
        case .new: log.add(.disk)
        case .resumed:
            log.add(.disk)
            record.begin(
                at: wall, after: log.runs.currentBegan, offset: log.place(of: .disk)?.fileOffset)
        }
        journal = SessionJournal(
            log, as: record, in: configuration.storage, configuration.timing, on: surroundings)
        journal.isDue = { [unowned self] in isDue($0) }
    }

    private static func record(
        of log: EventLog, _ configuration: HostConfiguration, begun wall: Double
    ) -> SessionRecord {
        var record: SessionRecord
        if case .resumed(let stored) = configuration.storage {
            record = stored.record
            record.eventName = configuration.eventName
            record.deviceName = configuration.deviceName
        } else {
            record = SessionRecord(
                session: log.session.wireName, eventName: configuration.eventName,
                deviceName: configuration.deviceName, started: wall)
        }
        record.admit(configuration.writers)
        configuration.refusedWriters.forEach { record.putOut($0) }
        return record
    }

    /// Opens the session's files, before anything is sent; see ``SessionJournal/open()``.
    func open(port: UInt16?) throws(SystemError) -> [HostEvent] {
        journal.note { $0.port = port }
        return try journal.open()
    }

    /// Stores what was said, so that it may be shown.
    ///
    /// - Returns: news for the operator.
    func store() -> [HostEvent] { journal.store() }

    func noteMarks() { journal.note { $0.marks = log.marks } }

    /// Somebody serves the event there from now on, and is asked first for what the disk may lose.
    func note(holderAt addresses: [String]) {
        var seen: Set<String> = []
        journal.note { record in
            let all = addresses + (record.holders ?? [])
            record.holders = Array(all.filter { seen.insert($0).inserted }.prefix(Limits.nodes))
        }
    }

    /// This writer is let in, also where the event goes on later.
    func note(writer: Fingerprint) {
        journal.note { $0.letIn(writer) }
    }

    /// Nothing more is taken from a writer, also where the event goes on later.
    func note(putOut writer: FingerprintPin) { journal.note { $0.putOut(writer) } }

    /// The log is one of another event from now on.
    func note(event: UUID) { journal.note { $0.contribution?.event = event.wireName } }

    /// Browsers find the event there.
    func note(_ web: SessionRecord.Web) { journal.note { $0.web = web } }

    /// The event is over, whatever becomes of the host that still tells late readers of it.
    ///
    /// - Parameter guests: how many readers heard it.
    func noteEnd(guests: Int) { journal.note { ($0.state, $0.guests) = (.ended, guests) } }

    /// Stores the rest and how the run ended, and waits for the disk.
    ///
    /// - Parameter guests: how many readers heard of the end.
    /// - Returns: news for the operator, where something could not be stored.
    func close(_ state: SessionRecord.State, guests: Int) -> [HostEvent] {
        journal.close { ($0.state, $0.guests) = (state, guests) }
    }
}
