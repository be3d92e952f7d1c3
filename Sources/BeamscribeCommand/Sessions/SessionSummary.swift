import BeamscribeCore
import BeamscribeIO

/// A kept session as `sessions` shows it; the keys are those of `--json`.
struct SessionSummary: Encodable {
    /// How a session stands.
    enum State: String, Encodable {
        /// A host has it now.
        case running
        /// Its host stopped in good order; the event may go on.
        case stopped
        case ended
        /// Its host was killed, or the machine went down.
        case interrupted
    }

    let session: String
    let event: String
    let deviceName: String
    let state: State
    /// When its first host started, in seconds since 1970.
    let started: Double
    /// When the newest line came, in seconds since 1970; nil without lines.
    let lastLine: Double?
    /// Seconds from the first line to the newest.
    let duration: Double
    /// Whether it is another's, and only held here; nil for no.
    let held: Bool?
    /// What it is called in the event, where that is another host's; nil for the log that founded it.
    let label: String?
    /// The session that founded its event, where that is another.
    let eventSession: String?
    /// Whether its lines are for some readers alone; nil for no.
    let isPrivate: Bool?
    /// How many lines can be read.
    let lines: Int
    /// The newest line's number.
    let lastSeq: Int
    /// The log's size, in bytes.
    let size: UInt64
    /// The places that its operator marked; nil for none.
    let marks: [SessionRecord.Mark]?

    private enum CodingKeys: String, CodingKey {
        case session, event, deviceName, state, started, lastLine, duration, held, label,
            eventSession
        case isPrivate = "private"
        case lines, lastSeq, size, marks
    }

    /// Reads the session's log. Nil for one that was removed in between.
    init?(_ entry: SessionEntry, in store: SessionStore) {
        guard let log = try? store.log(of: entry.record.session) else { return nil }
        var glance = JournalGlance()
        try? log.readAll { bytes, offset in
            glance.read(bytes)
            return bytes.isEmpty ? nil : offset + UInt64(clamping: bytes.count)
        }
        let survey = { try? log.survey(within: log.boundaries(of: entry.record)) }
        guard let journal = glance.summary ?? survey().map(JournalSummary.init) else { return nil }
        self.init(entry, journal)
    }

    init(_ entry: SessionEntry, _ journal: JournalSummary) {
        let record = entry.record
        session = record.session
        event = SafeText.line(record.eventName)
        deviceName = SafeText.line(record.deviceName)
        state = State(entry)
        held = record.held == nil ? nil : true
        let isSideLog = record.isSideLog
        label = isSideLog ? record.title?.label : nil
        eventSession = isSideLog ? SafeText.line(record.event) : nil
        isPrivate = record.isPrivate ? true : nil
        started = record.runs[0].started
        lastLine = journal.lastSent
        duration = max(0, (journal.lastSent ?? 0) - (journal.firstSent ?? 0))
        lines = journal.lines
        lastSeq = journal.lastSeq
        size = entry.size
        marks = record.marks
    }
}

extension SessionSummary.State {
    /// A record that says "running" is what a host leaves that could not say goodbye.
    init(_ entry: SessionEntry) {
        self =
            switch entry.record.state {
            case _ where entry.isInUse: .running
            case .running: .interrupted
            case .stopped: .stopped
            case .ended: .ended
            }
    }
}
