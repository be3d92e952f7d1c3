import FoundationEssentials

extension SessionRecord {
    /// What is kept of a log that another writes.
    ///
    /// - Parameters:
    ///   - event: what its writer calls it.
    ///   - address: where it was joined, as somebody has given it; nil where it was found.
    /// - Returns: nil for a log that is one's own, or not signed.
    public init?(holding log: EventLog, of event: JoinedEvent, at address: String?, now: Double) {
        guard let proofs = log.heldProofs, let writer = event.writer,
            case .log(let record)? = proofs.record.withUnsafeBytes({
                try? PacketDecoder().packet($0)
            })
        else { return nil }
        self.init(
            session: log.session.wireName, eventName: event.eventName,
            deviceName: event.deviceName, started: record.created)
        // Where its writer has begun them in a file of its own says nothing of this one.
        runs = log.runs.after.enumerated().map { index, after in
            Run(started: index == 0 ? record.created : now, after: after, offset: nil)
        }
        self.writer = writer
        hasCode = event.security.provesCode ? true : nil
        held = Held(log: Data(proofs.record), head: nil, joints: nil, address: address)
    }

    /// The record that the writer of a log has signed that is held here; nil for one's own.
    var logRecord: LogRecord? {
        guard let payload = held?.log,
            case .log(let record)? = payload.withUnsafeBytes({ try? PacketDecoder().packet($0) })
        else { return nil }
        return record
    }

    /// The event's id: that of the log that has founded it.
    public var event: String { contribution?.event ?? logRecord?.event ?? session }

    /// Whether its lines are for some readers alone.
    public var isPrivate: Bool { logRecord?.to != nil }

    /// What it is among the logs of its event; nil where nobody has signed it.
    public var title: LogTitle? {
        guard let writer else { return nil }
        if let logRecord { return LogTitle(logRecord, by: writer) }
        guard let contribution else {
            return LogTitle(
                LogRecord(
                    founding: session, eventName: eventName, deviceName: deviceName,
                    created: runs[0].started, number: 1), by: writer)
        }
        var log = LogRecord(
            session, of: contribution.event, as: contribution.label, lang: contribution.lang,
            eventName: eventName, deviceName: deviceName, created: runs[0].started, number: 1)
        log.of = contribution.of ?? contribution.standsInFor
        if contribution.of != nil { log.kind = LogRecord.translation }
        return LogTitle(log, by: writer)
    }

    /// Notes what lets the log into its event.
    ///
    /// - Returns: whether that is news.
    public mutating func note(grant: [UInt8]?) -> Bool {
        guard let grant, held?.grant != Data(grant) else { return false }
        held?.grant = Data(grant)
        return true
    }

    /// The last line that is of the event, if its founder has put the writer out; nil for a log without
    /// an end.
    var lastOfEvent: Int? {
        guard let payload = held?.grant,
            case .grant(let grant)? = payload.withUnsafeBytes({ try? PacketDecoder().packet($0) })
        else { return nil }
        return grant.until
    }

    /// Goes on with what was known of the same log before.
    ///
    /// - Parameter lastSeq: the newest line that is kept of it.
    public mutating func goOn(from old: SessionRecord, through lastSeq: Int) {
        for index in runs.indices.dropLast() where index < old.runs.count {
            runs[index].started = old.runs[index].started
        }
        keep = keep ?? old.keep
        if held?.address == nil { held?.address = old.held?.address }
        held?.grant = old.held?.grant
        if runs.map(\.after) == old.runs.map(\.after) {
            held?.head = old.held?.head
            held?.first = old.held?.first
        }
        held?.joints = old.held?.joints?.filter { $0.after < lastSeq }
    }

    /// Notes what `log` has by now that proves it.
    ///
    /// - Parameter seq: the newest line that the disk has for good: a head that counts more would prove
    ///   nothing after a loss of power.
    /// - Returns: whether that is news.
    public mutating func note(_ log: EventLog, through seq: Int) -> Bool {
        let known = held?.joints ?? []
        let new = log.joints.filter { !known.contains($0) }
        if !new.isEmpty { held?.joints = Array((known + new).prefix(Limits.keptJoints)) }
        let isOther = log.heldProofs.map { Data($0.record) != held?.log } ?? false
        if isOther, let record = log.heldProofs?.record { held?.log = Data(record) }
        let isFirst = held?.first == nil
        if isFirst { held?.first = log.heldProofs?.head.map { Data($0) } }
        guard let payload = log.heldProofs?.head, Data(payload) != held?.head,
            let head = Self.head(Data(payload)), head.seq <= seq, isNews(head)
        else { return !new.isEmpty || isOther || isFirst && held?.first != nil }
        held?.head = Data(payload)
        if head.state == LogHead.State.ended.rawValue { state = .ended }
        return true
    }

    /// That its writer is still there is none.
    private func isNews(_ head: LogHead) -> Bool {
        guard let old = held?.head.flatMap(Self.head) else { return true }
        return head.isNewer(than: old)
            && (head.runs, head.seq, head.state) != (old.runs, old.seq, old.state)
    }

    /// Whether it had lines here once, as a head shows that was noted when the disk had them.
    package var hadLines: Bool { (held?.head.flatMap(Self.head)?.seq ?? 0) > 0 }

    private static func head(_ payload: Data) -> LogHead? {
        guard case .head(let head)? = payload.withUnsafeBytes({ try? PacketDecoder().packet($0) })
        else { return nil }
        return head
    }

    /// Lines are missing on the disk that came.
    public mutating func note(gapThrough seq: Int, in log: EventLog) {
        guard let hash = log.hash(before: seq + 1) else { return }
        let joints = (held?.joints ?? []) + [LineJoint(after: seq, hash: hash.hex)]
        held?.joints = Array(joints.prefix(Limits.keptJoints))
    }
}
