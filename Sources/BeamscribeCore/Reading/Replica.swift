import FoundationEssentials

/// An event's log as a connection brought it, kept to the byte so that it can be served again: a
/// ``Room`` serves its ``log`` as it does that of a ``Publisher``.
///
/// It is fed by a ``GuestSession``, with what fits into the session's own reading. Where the host has
/// been started anew, or another event follows, there is another ``EventLog``: whoever reads the old
/// one has to begin again, and says what it has of which run.
///
/// Invariant: the finals of `log` are the host's, byte for byte, with gaps where lines never came; its
/// runs are the host's.
public final class Replica {
    /// What there is; nil before a host has answered.
    public private(set) var log: EventLog?

    /// A replica of nothing yet.
    public init() {}

    /// A host has let us in. Of the lines here those through `seq` are still its own.
    func begin(_ event: JoinedEvent, through seq: Int, now: Moment) {
        guard let session = UUID(uuidString: event.session) else { return }
        let isSame = log?.session == session
        if isSame, let log, log.runs == event.runs, log.lastSeq <= seq { return }
        let transcript = Transcript()
        if isSame { log?.forEachPayload(through: seq) { transcript.restore(payload: $1, seq: $0) } }
        log = EventLog(session: session, runs: event.runs, transcript: transcript, now: now)
    }

    func keep(final seq: Int, of line: String, as payload: UnsafeRawBufferPointer) {
        log?.restore(final: seq, of: line, payload: payload)
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

    func withdrawOpenLines() { log?.withdrawOpenLines() }

    func inputArrived(now: Moment) { log?.inputArrived(now: now) }
}
