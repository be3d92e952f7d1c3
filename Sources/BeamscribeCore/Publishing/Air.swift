/// Whose turn the captions are, where several captioners stand in for one another.
///
///     off air --- nobody is heard on air, and words come in ---> on air, with the highest number + 1
///        ^   --- a head hands the captions over to this one --->
///        |   --- the operator takes them ---------------------->
///        +-- another is heard who precedes it --------------------- on air
///
/// There is no election: each looks at the signed heads that it has heard. Two who cannot hear each other
/// both write, each in a log of its own; once they can, one of them goes off.
///
/// Somebody whom another has preceded is on air again by a newer head alone, however long the old
/// one holds. At the highest number there is, a captioner who is handed the captions has them by
/// that word alone.
///
/// A number beyond ``Limits/honestAir`` is given back as soon as nobody else has one.
///
/// Invariant: it is on air only while it has heard of nobody who precedes it, by a head that is fresh; a
/// number that is taken is higher than all that were heard, or ``Limits/air``.
public struct Air: Equatable, Sendable {
    /// What follows from a look.
    public enum Change: Equatable, Sendable {
        /// This captioner writes from now on. `after` is who did before, as far as that is known.
        case on(Reason, after: AirClaim?)
        /// This one writes.
        case off(AirClaim)
        /// The captions were handed over, and were not taken.
        case notTaken
        /// Whoever wrote is heard no more, and had let nothing out: only the operator may go on.
        case withheld(AirClaim)
    }

    /// Why a captioner goes on air.
    public enum Reason: Equatable, Sendable {
        /// Nobody else is heard.
        case alone
        /// They were handed over.
        case handed
        /// The operator has taken them.
        case taken
    }

    /// Whose turn it is, as this captioner says it; 0 while it waits.
    public private(set) var number: Int
    /// The log to whose writer the captions are handed; nil for nobody's.
    public private(set) var handTo: String?

    private let session: String
    private let rank: Int
    /// The highest number that was heard of, or had.
    private var highest = 0
    /// The times of the heads whose writers another has preceded since, by their sessions.
    private var preceded: [String: Double] = [:]
    /// Until when somebody who is asked to take the captions may do so.
    private var handedUntil: Duration?
    /// Before this nobody goes on air for want of others: they may not have been heard yet.
    private var listensUntil: Duration
    /// Whoever was on air last, besides this one.
    private var last: AirClaim?
    /// Whether the operator was told that it is his to go on.
    private var hasToldOfWithheld = false

    /// - Parameters:
    ///   - session: the captioner's log, a lower-case UUID.
    ///   - rank: 0 for the event's founder, 1 for all others.
    ///   - isOn: whether it begins on air, as somebody does who is the first.
    ///   - now: when it began to listen to others.
    public init(of session: String, rank: Int, isOn: Bool, now: Duration) {
        (self.session, self.rank, number) = (session, rank, isOn ? 1 : 0)
        highest = number
        listensUntil = now + Limits.airPatience
    }

    /// Whether this captioner writes.
    public var isOn: Bool { number > 0 }

    /// Looks at what is heard of the others.
    ///
    /// - Parameters:
    ///   - inputLives: whether there is anything to write with.
    ///   - now: by the clock of ``init(of:rank:isOn:now:)``.
    public mutating func look(
        at claims: [AirClaim], inputLives: Bool, now: Duration
    ) -> Change? {
        // A number that leaves no room for another is none.
        let claims = claims.filter { $0.air <= Limits.air }
        highest = claims.reduce(highest) { max($0, $1.air) }
        let heard = claims.filter {
            $0.isFresh && $0.air > 0 && preceded[$0.session] != $0.time
        }
        let first = AirClaim.first(of: heard)
        for other in heard where other.session != first?.session {
            preceded[other.session] = other.time
        }
        if let first { (last, hasToldOfWithheld) = (first, false) }
        guard isOn else { return goOn(after: first, inputLives, now) }
        let change = goOff(for: heard, now)
        if change == nil { comeDown(above: claims) }
        return change
    }

    /// Whether somebody has made its number up: nobody takes turns so often.
    public var isMadeUp: Bool { number > Limits.honestAir }

    /// Gives a made-up number back once whoever has made it up is heard no more: behind ``Limits/air``
    /// nobody else could take the captions.
    private mutating func comeDown(above claims: [AirClaim]) {
        let newest = claims.reduce(0) { $1.isFresh ? max($0, $1.air) : $0 }
        guard isMadeUp, newest <= Limits.honestAir else { return }
        (number, highest) = (newest + 1, newest + 1)
    }

    private mutating func goOff(for heard: [AirClaim], _ now: Duration) -> Change? {
        // A captioner who hands the captions over to this one goes off himself.
        let others = heard.filter { $0.handTo != session || $0.air > number }
        let taken = heard.first { $0.session == handTo && $0.air >= number }
        let first = AirClaim.first(of: others).flatMap {
            $0.precedes(air: number, rank: rank, session: session) ? $0 : nil
        }
        if let other = taken ?? first {
            (number, handTo, handedUntil) = (0, nil, nil)
            return .off(other)
        }
        guard let handedUntil, handedUntil <= now else { return nil }
        (handTo, self.handedUntil) = (nil, nil)
        return .notTaken
    }

    private mutating func goOn(
        after first: AirClaim?, _ inputLives: Bool, _ now: Duration
    ) -> Change? {
        if let first {
            return first.handTo == session ? goOn(.handed) : nil
        }
        guard inputLives, last != nil || listensUntil <= now else { return nil }
        // Words that were not meant for anybody do not come out because a machine has died.
        guard let last, last.isWithheld else { return goOn(.alone) }
        defer { hasToldOfWithheld = true }
        return hasToldOfWithheld ? nil : .withheld(last)
    }

    private mutating func goOn(_ reason: Reason) -> Change {
        number = min(highest, Limits.air - 1) + 1
        highest = number
        return .on(reason, after: last)
    }

    /// The operator takes the captions, whoever has them.
    ///
    /// - Returns: nil where this captioner has them already.
    public mutating func take() -> Change? {
        (handTo, handedUntil) = (nil, nil)
        return isOn ? nil : goOn(.taken)
    }

    /// The operator hands the captions over. This captioner writes until they are taken.
    ///
    /// - Returns: whether there are any to be handed over.
    public mutating func hand(to session: String, now: Duration) -> Bool {
        guard isOn, session != self.session else { return false }
        (handTo, handedUntil) = (session, now + Limits.airPatience)
        return true
    }

    /// What is wrong; nil where nothing is.
    package var brokenInvariant: String? {
        if number > highest { return "a number was taken that is not the highest" }
        return handTo != nil && !isOn ? "somebody who waits hands the captions over" : nil
    }
}
