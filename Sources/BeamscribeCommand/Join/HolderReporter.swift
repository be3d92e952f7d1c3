import Beamscribe
import BeamscribeCore
import BeamscribeIO
import Logging

/// Says what becomes of serving an event to others.
struct HolderReporter {
    /// What is said.
    struct Words {
        let level: Logger.Level
        let sentence: String
        /// Whether a reader of the live view is to see it, too.
        var isNotice = false
    }

    /// Whether this machine is here for others only, so that it has nothing to do if it cannot serve.
    let isRelay: Bool
    /// Why a relay ends.
    private(set) var failure: Failure?

    private var announcementTrouble: String?
    private var cannotAccept = false
    private var budget = NewsBudget()

    init(isRelay: Bool) { self.isRelay = isRelay }

    /// - Returns: nil for what has been said before, or comes too fast.
    mutating func words(for news: HolderNews, now: Duration = Clock.uptime) -> Words? {
        if case .readers(let event, _) = news, let source = event.source,
            !budget.admits(source, now: now)
        {
            return nil
        }
        return switch news {
        case .listening(let endpoints): listening(endpoints)
        case .readers(let event, let counts): words(for: event, counts)
        case .announcementFailed(let reason): notAnnounced(reason)
        case .acceptFailed(let error): notAccepted(error)
        case .unserved(let reason): unserved(reason)
        }
    }

    private func listening(_ endpoints: [Endpoint]) -> Words {
        let ways = endpoints.prefix(4).map { "beamscribe join --host \($0)" }
        return Words(
            level: .notice,
            sentence: "Serving the event to others, also if its host goes: "
                + ways.joined(separator: ", or "), isNotice: true)
    }

    private mutating func words(for event: HostEvent, _ counts: GuestCounts) -> Words? {
        let total = plural(counts.stable + counts.syncing, "reader")
        switch event {
        case .guestJoined(let guest):
            cannotAccept = false
            return Words(level: .info, sentence: "+ \(guest.name) reads from here (\(total)).")
        case .guestLeft(let guest, let why, _):
            return Words(level: .info, sentence: "- \(guest.name) left: \(why) (\(total)).")
        case .connectionRefused(let peer, let why):
            return Words(level: .debug, sentence: "\(peer) \(why).")
        default: return nil
        }
    }

    private mutating func notAnnounced(_ reason: String) -> Words? {
        guard announcementTrouble != reason else { return nil }
        announcementTrouble = reason
        return Words(
            level: .warning,
            sentence: "\(reason), so others can find this machine by its address only. "
                + "(`beamscribe doctor` says what to do, --no-bonjour goes without.)")
    }

    /// Tried again every second, told once until somebody gets in.
    private mutating func notAccepted(_ error: SystemError) -> Words? {
        guard !cannotAccept else { return nil }
        cannotAccept = true
        return Words(level: .warning, sentence: "\(error); nobody can be let in for now.")
    }

    private mutating func unserved(_ reason: HolderNews.Reason) -> Words? {
        let (sentence, exit): (String, Failure.Code) =
            switch reason {
            case .notSigned:
                (
                    "The event cannot be served from here: its host does not sign what it says, and "
                        + "nobody would believe it from another machine.", .refused
                )
            case .cannotServe(let error):
                (
                    "The event cannot be served from here: \(error). Choose another port or address "
                        + "with --port or --bind.", .system
                )
            }
        if isRelay {
            failure = Failure(exit, sentence)
            return nil
        }
        return Words(level: .warning, sentence: sentence, isNotice: true)
    }
}
