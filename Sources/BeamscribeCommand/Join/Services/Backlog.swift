import BeamscribeCore
import Synchronization

/// Lines that caption services lack of an earlier run, and that this guest's reader did not ask
/// for: they are fetched for the services alone.
///
/// Invariant: what is hidden are the lines up to one of the session that is joined, and none once
/// the event was begun anew.
final class Backlog: Sendable {
    /// The last line that is hidden.
    private enum Hidden {
        case nothing
        case through(Int)
        /// Of the lines up to this one, those that are left of that run.
        case of(Handshake.Resume)
        /// All that was said before the guest came.
        case history
    }

    private struct State {
        /// How far services are.
        var lacking: [Handshake.Resume]
        var hidden = Hidden.nothing
        var isUsed = false
        var hasJoined = false
    }

    private let state: Mutex<State>

    /// - Parameter lacking: how far an earlier run has brought each service.
    init(_ lacking: [Handshake.Resume]) {
        state = Mutex(State(lacking: lacking))
    }

    /// Where a guest is to begin so that no service misses a line.
    ///
    /// - Parameters:
    ///   - start: where its reader wants it to.
    ///   - resume: what the reader has.
    func start(
        for start: GuestSession.Start, _ resume: Handshake.Resume?
    ) -> (GuestSession.Start, Handshake.Resume?) {
        state.withLock { state in
            (state.hidden, state.isUsed) = (.nothing, false)
            let session = resume?.session ?? state.lacking.first?.session
            let lacking = state.lacking.filter { $0.session == session }
            guard let first = lacking.min(by: { $0.after < $1.after }) else {
                return (start, resume)
            }
            switch (resume, start) {
            case (let resume?, _) where first.after < resume.after: state.hidden = .of(resume)
            case (nil, .line(let seq)) where first.after < seq - 1:
                state.hidden = .through(seq - 1)
            case (nil, .next): state.hidden = .history
            default: return (start, resume)
            }
            state.isUsed = true
            return (.beginning, first)
        }
    }

    /// A host has another event than that which the guest was to begin in for the services' sake.
    ///
    /// - Returns: whether nothing was joined yet, so that it may be the event that is wanted.
    func isOfAnotherEvent() -> Bool {
        state.withLock { state in
            guard state.isUsed, !state.hasJoined, let session = state.lacking.first?.session else {
                return false
            }
            state.lacking.removeAll { $0.session == session }
            return true
        }
    }

    /// What of `events` the reader has asked for.
    func asked(_ events: [GuestEvent]) -> [GuestEvent] {
        state.withLock { state in
            events.filter { event in
                switch event {
                case .joined(let joined):
                    state.hasJoined = true
                    state.hidden = Self.known(state.hidden, in: joined)
                case .begunAnew: state.hidden = .nothing
                case .withdrawn(let from, _):
                    if case .through(let last) = state.hidden {
                        state.hidden = .through(min(last, from - 1))
                    }
                case .line(let line): return !Self.hides(line.seq, state.hidden)
                case .gap(_, let through): return !Self.hides(through, state.hidden)
                default: break
                }
                return true
            }
        }
    }

    private static func known(_ hidden: Hidden, in event: JoinedEvent) -> Hidden {
        switch hidden {
        case .of(let resume): .through(event.runs.valid(through: resume.after, of: resume.run))
        case .history: .through(event.history)
        case .nothing, .through: hidden
        }
    }

    private static func hides(_ seq: Int, _ hidden: Hidden) -> Bool {
        if case .through(let last) = hidden { return seq <= last }
        return false
    }
}
