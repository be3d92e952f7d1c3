import FoundationEssentials

/// An event's log as a connection brought it, kept to the byte so that it can be served again: a
/// ``Room`` serves its ``log`` as it does that of a ``Publisher``.
///
/// It is fed by a ``GuestSession``, with what fits into the session's own reading. Where the host has
/// been started anew, or another event follows, there is another ``EventLog``: whoever reads the old
/// one has to begin again, and says what it has of which run.
///
/// Where the disk is to have each line first, a log is shown to nobody until its keeper has said what the
/// disk has of it, whenever that is.
///
/// Invariant: the finals of `log` are the host's, byte for byte, with gaps where lines never came; its
/// runs are the host's.
public final class Replica {
    /// What there is; nil before a host has answered.
    public private(set) var log: EventLog?

    /// What was here before any host has answered, read back from where it was kept; nil for nothing.
    let kept: HeldLog?

    /// The most bytes of lines in memory.
    private let limit: Int
    /// Whether somebody keeps it, whom new logs wait for.
    private let isStoredFirst: Bool

    /// A replica of nothing yet.
    public init(limit: Int = Limits.history, isStoredFirst: Bool = false) {
        (kept, self.limit, self.isStoredFirst) = (nil, limit, isStoredFirst)
    }

    /// A replica that goes on with what was kept.
    public init(of kept: HeldLog, limit: Int = Limits.history, isStoredFirst: Bool = false) {
        (self.kept, log, self.limit, self.isStoredFirst) = (kept, kept.log, limit, isStoredFirst)
    }

    /// A host has let us in. Of the lines here those through `seq` are still its own.
    ///
    /// - Parameter proof: of a signed log, its record as it came and its chain before the first line.
    func begin(
        _ event: JoinedEvent, through seq: Int,
        by proof: (record: [UInt8], chain: LineChain)? = nil,
        now: Moment
    ) {
        guard let session = UUID(uuidString: event.session) else { return }
        let old = log?.session == session ? log : nil
        if let old, old.runs == event.runs, old.lastSeq <= seq, old.isSigned == (proof != nil) {
            return
        }
        let transcript = copy(of: old, through: seq, hashing: proof?.chain)
        log =
            proof.map {
                EventLog(
                    session: session, runs: event.runs, transcript: transcript, holding: $0.record,
                    now: now)
            } ?? EventLog(session: session, runs: event.runs, transcript: transcript, now: now)
        if isStoredFirst { log?.add(.disk, through: 0, at: 0) }
    }

    private func copy(
        of old: EventLog?, through seq: Int, hashing start: LineChain?
    ) -> Transcript {
        let transcript = Transcript(limit: limit, hashing: start)
        old?.forEachPayload(through: seq) { number, payload in
            if let start, number != transcript.lastSeq + 1, let hash = old?.hash(before: number) {
                transcript.goOn(from: start.from(number - 1, hash))
            }
            transcript.restore(payload: payload, seq: number)
            if let place = old?.correctedPlace(of: number) {
                transcript.correct(placeOf: number, to: place)
            }
        }
        return transcript
    }

    /// Of a signed log the lines behind this one are none of its event's any more.
    ///
    /// - Parameter chain: the log's before its first line.
    func cut(after seq: Int, _ chain: LineChain, now: Moment) {
        guard let old = log, old.lastSeq > seq, let record = old.heldProofs?.record else { return }
        let transcript = copy(of: old, through: seq, hashing: chain)
        log = EventLog(
            session: old.session, runs: old.runs, transcript: transcript, holding: record, now: now)
        log?.takeProofs(of: old)
        if isStoredFirst { log?.add(.disk, through: 0, at: 0) }
    }

    /// All lines of a signed log are here that are of the event, or again more may come.
    func end(_ isOver: Bool) { log?.end(isOver) }

    /// A signed log goes on behind a line whose hash was told.
    func goOn(from chain: LineChain) { log?.goOn(from: chain) }

    /// The writer of a signed log says anew what it is.
    func keep(record payload: UnsafeRawBufferPointer) { log?.keep(record: payload) }

    /// The writer of a signed log says how it stands.
    func keep(_ head: LogHead, as payload: UnsafeRawBufferPointer) { log?.keep(head, as: payload) }

    /// - Parameter place: the line's in the event's order.
    func keep(
        final chunk: LiveChunk, seq: Int, at place: Int, as payload: UnsafeRawBufferPointer
    ) {
        log?.restore(final: chunk, seq: seq, at: place, payload: payload)
    }

    func keep(partial chunk: LiveChunk, as payload: UnsafeRawBufferPointer) {
        log?.restore(partial: chunk, payload: payload)
    }

    /// That its host goes, or is back, is no news of the event.
    func keep(_ alert: Alert.Kind?, as payload: UnsafeRawBufferPointer) {
        switch alert {
        case .hostDisconnected, .sessionResumed: return
        default: log?.restore(alert: alert, payload: payload)
        }
    }

    /// The event is over, by the word of its writer alone.
    func end(_ message: String, now: Moment) { log?.end(.ended, message, now: now) }

    /// Whoever has said that a line is gone: who reads here is told so by a word of ours.
    func takeBack(_ line: String) { log?.takeBack(line) }

    func withdrawOpenLines() { log?.withdrawOpenLines() }

    func inputArrived(now: Moment) { log?.inputArrived(now: now) }
}
