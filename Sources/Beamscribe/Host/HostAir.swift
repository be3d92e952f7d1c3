import BeamscribeCore
import BeamscribeIO

/// Whose turn the captions are, where others stand in for this host's captioner or he for another: has
/// that looked at, tells of it and has it done.
///
/// Invariant: what this host's log says of whose turn it is is what `air` says, but for a turn that is over
/// and has a last line to say.
final class HostAir {
    /// Tells the operator.
    var tell: (AirNews) -> Void = { _ in }
    /// Has everybody told at once how the log stands.
    var changed: () -> Void = {}
    /// What others say of whose turn it is: besides this log's writer, around the log that is named.
    var heard: (_ own: String, _ around: String, Moment) -> [AirClaim] = { _, _, _ in [] }

    private var air: Air
    private let log: EventLog
    private let captions: HostCaptions
    /// The log around which it is whose turn it is.
    private let main: String
    private let loop: any Loop
    @OwnedTimer private var next: LoopTimer?
    /// Whether a look is under way: a change tells others, which asks for another look.
    private var isLooking = false

    init(
        _ configuration: HostConfiguration, of log: EventLog, _ captions: HostCaptions,
        on loop: any Loop
    ) {
        (self.log, self.captions, self.loop) = (log, captions, loop)
        let own = log.session.wireName
        main = configuration.contribution?.standsInFor ?? own
        air = Air(
            of: own, rank: configuration.contribution == nil ? 0 : 1,
            isOn: !configuration.beginsOffAir, now: loop.uptime)
        log.set(air: air.number)
        captions.arrived = { [unowned self] in look() }
    }

    /// Whether this host writes.
    var isOn: Bool { air.isOn }

    /// Who stands by, or is on air while this one is not.
    var others: [AirClaim] { claims.filter(\.isFresh) }

    private var claims: [AirClaim] { heard(log.session.wireName, main, loop.now) }

    /// Begins to look at others, now and then.
    func begin() {
        look()
        guard !air.isOn else { return }
        captions.tellOffAir("Others caption for now.")
        tell(.waits)
    }

    /// Something may have been heard of the others.
    func look() {
        guard !isLooking else { return }
        isLooking = true
        defer { isLooking = false }
        let claims = claims
        // Alone there is nothing to be looked at.
        guard !claims.isEmpty || !air.isOn || air.isMadeUp else { return next = nil }
        if claims.contains(where: { $0.air > 0 && $0.isWithheld }) { captions.forgetHeard() }
        let number = air.number
        perform(air.look(at: claims, inputLives: captions.inputLives, now: loop.uptime))
        if air.number != number { log.set(air: air.number, handTo: air.handTo) }
        assert(air.brokenInvariant == nil, air.brokenInvariant ?? "")
        guard next == nil else { return }
        next = loop.schedule(after: Limits.airLook) { [unowned self] in
            next = nil
            look()
        }
    }

    /// The operator takes the captions.
    ///
    /// - Returns: whether somebody else had them.
    func take() -> Bool {
        let change = air.take()
        perform(change)
        return change != nil
    }

    /// The operator hands the captions over.
    ///
    /// - Returns: whether there are any to be handed over.
    func hand(to session: String) -> Bool {
        guard air.hand(to: session, now: loop.uptime) else { return false }
        log.set(air: air.number, handTo: air.handTo)
        changed()
        look()
        return true
    }

    private func perform(_ change: Air.Change?) {
        switch change {
        case .on(let reason, let last):
            log.set(air: air.number)
            captions.goOnAir(after: reason == .alone ? last?.lastWord : nil)
            tell(.on(reason, after: last))
        case .off(let other):
            tell(.off(other))
            return captions.goOffAir(to: other) { [unowned self] in
                log.set(air: air.number)
                changed()
            }
        case .notTaken:
            log.set(air: air.number)
            tell(.notTaken)
        case .withheld(let other): tell(.withheld(other))
        case nil: return
        }
        changed()
    }

    /// Nothing is looked at any more.
    func end() {
        next = nil
        heard = { _, _, _ in [] }
    }
}

/// What becomes of whose turn the captions are.
public enum AirNews: Sendable, Equatable {
    /// This host waits: others caption.
    case waits
    /// This host writes from now on; `after` is who did before.
    case on(Air.Reason, after: AirClaim?)
    /// This one writes from now on, and not this host.
    case off(AirClaim)
    /// Whoever was handed the captions has not taken them.
    case notTaken
    /// Whoever wrote is heard no more, and had let nothing out.
    case withheld(AirClaim)
}
