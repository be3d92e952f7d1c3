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
    /// How long what is kept is there; nil for until somebody deletes it.
    let keptFor: Age?
    /// Why a relay ends.
    private(set) var failure: Failure?

    private var announcementTrouble: String?
    private var cannotAccept = false
    private var budget = NewsBudget()

    init(isRelay: Bool, keptFor: Age? = nil) {
        (self.isRelay, self.keptFor) = (isRelay, keptFor)
    }

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
        case .keeping(let session): keeping(session)
        case .takenUp(let kept): takenUp(kept)
        case .notKept(let trouble):
            Words(level: .warning, sentence: Self.sentence(trouble), isNotice: true)
        case .storage(let event): storage(event)
        case .othersUnsaved(let why): others(unsaved: why)
        case .otherNotKept(let log, let why):
            Words(level: .warning, sentence: why.sentence(of: log), isNotice: true)
        case .otherDamaged(let log, let damage):
            Words(level: .warning, sentence: Self.sentence(damage, of: log), isNotice: true)
        }
    }

    // MARK: Keeping

    private func keeping(_ session: String) -> Words {
        let fate =
            keptFor.map {
                $0.duration == .zero ? "until the event ends" : "for \($0.words) after the event"
            } ?? "until `beamscribe sessions delete`"
        return Words(
            level: .info,
            sentence:
                "The event is kept on this machine, too, as session \(session.prefix(8)), \(fate).")
    }

    private func takenUp(_ kept: TakenUp) -> Words {
        let event = kept.event
        let begun = LocalTime(kept.begun).dayAndTime
        let what =
            "\"\(event.eventName)\" on \(event.deviceName), begun \(begun) and kept here as session "
            + "\(event.session.prefix(8)) (\(plural(kept.lines, "line")))"
        let sentence =
            event.isKept
            ? "Going on with \(what); --new leaves it and looks for another. Looking for its host ..."
            : "Going on with \(what)."
        let trouble =
            Self.damage(kept.damaged, kept.missingEnd, of: nil) + Self.tail(kept.tail)
        guard !trouble.isEmpty else { return Words(level: .notice, sentence: sentence) }
        return Words(
            level: .warning, sentence: ([sentence] + trouble).joined(separator: " "),
            isNotice: true)
    }

    /// Words for the damage on this disk in one of an event's other logs.
    static func sentence(_ damage: OtherLogDamage, of log: String) -> String {
        switch damage {
        case .notProven:
            "What this disk has of \"\(log)\" is not what its captioner signed. It is not served."
        case .notLetIn:
            "What this disk has of \"\(log)\" is not served: the host's permission for it is damaged "
                + "here. It is served again once somebody brings the permission."
        case .lines(let damaged, let missing, let tail):
            (self.damage(damaged, missing, of: log) + self.tail(tail, of: log))
                .joined(separator: " ")
        case .writtenAnew:
            "What this disk has of \"\(log)\" is damaged. It stays where it is, and is not served; "
                + "a new log \"\(log)\" begins."
        case .own:
            "What this machine wrote as \"\(log)\" is not served until the program that wrote it runs "
                + "again. `beamscribe export` has it."
        case .system(let error): "What this disk has of \"\(log)\" is not served: \(error)."
        }
    }

    /// - Parameter log: the log's label; nil for the main one.
    private static func damage(
        _ lines: [ClosedRange<Int>], _ end: ClosedRange<Int>?, of log: String?
    ) -> [String] {
        let of = log.map { " of \"\($0)\"" } ?? ""
        var sentences: [String] = []
        if !lines.isEmpty {
            let (list, verb) = MissingLines.list(lines)
            sentences.append("On this disk \(list)\(of) \(verb) damaged: readers get all others.")
        }
        if let end {
            let (list, verb) = MissingLines.list([end])
            sentences.append(
                "On this disk \(list)\(of) \(verb) missing at the end: another machine may have "
                    + "\(end.count == 1 ? "it" : "them").")
        }
        return sentences
    }

    private static func tail(_ tail: KeptTail?, of log: String? = nil) -> [String] {
        guard let tail else { return [] }
        let place = log.map { "At the end of \"\($0)\"" } ?? "Behind these"
        let fate =
            switch tail.fate {
            case .cutOff(let file): "now in \(file)"
            case .stays(let error): "left where they are, for they cannot be copied (\(error))"
            }
        let bytes = plural(Int(clamping: tail.bytes), "byte")
        return ["\(place) there were \(bytes) that prove nothing, \(fate)."]
    }

    /// Why an event is in memory alone, or what was kept of it is no use.
    static func sentence(_ trouble: KeepingTrouble) -> String {
        switch trouble {
        case .ownEvent:
            "This machine hosts the event itself, and has it on the disk already: here it is held in "
                + "memory only."
        case .inUse:
            "Another program on this machine keeps the event already: here it is held in memory only."
        case .notProven(let session):
            "What is kept of session \(session.prefix(8)) is damaged, or not what its host has signed: "
                + "it is not served. `beamscribe export \(session.prefix(8))` writes its lines, "
                + "`beamscribe sessions delete \(session.prefix(8))` makes room for it."
        case .distrusted(let refusal):
            "What is kept of the event is not served: \(refusal)."
        case .system(let error):
            "\(error), so that the event is held in memory only; "
                + "`beamscribe doctor` says what is wrong with the folder."
        }
    }

    private func others(unsaved why: String?) -> Words {
        guard let why else {
            return Words(level: .notice, sentence: "What others caption is saved here again.")
        }
        return Words(
            level: .warning,
            sentence:
                "What others caption is not being saved here: \(why). It goes on from memory.",
            isNotice: true)
    }

    private func storage(_ event: HostEvent) -> Words? {
        switch event {
        case .storageFailed(let why):
            Words(
                level: .warning,
                sentence:
                    "What is held is not being saved: \(why). It goes on from memory, and what is "
                    + "missing is saved as soon as that works: \(StorageAdvice(why).now).",
                isNotice: true)
        case .storageRestored(let seq):
            Words(level: .notice, sentence: "What is held is saved again, up to line \(seq).")
        case .storageGap(let from, let through):
            Words(
                level: .warning,
                sentence: "Lines \(from) to \(through) went from memory before they could be saved."
            )
        default: nil
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
        case .doorClosed(let source):
            return Words(
                level: .warning, sentence: SecurityReporter.closedDoor(to: source), isNotice: true)
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
