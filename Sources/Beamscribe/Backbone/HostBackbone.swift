import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials

/// Brings what a host serves to a server that keeps it, and of a mesh takes from there what others write.
///
/// Whatever the server does, nothing here waits for it but the end, for a moment.
final class HostBackbone {
    var tell: (BackboneNews) -> Void = { _ in }
    /// Told once something has come of others.
    var heard: () -> Void = {}

    private let log: EventLog
    private let shelf: Shelf?
    private let loop: any Loop
    private let crypto: LogSHA256
    private let backbone: any Backbone
    private let publisher: BackbonePublisher
    /// Nil where nothing is read.
    private var member: BackboneMember?
    private var isLooking = false
    private var isEnded = false
    /// Told once all is there.
    private var leaving: (() -> Void)?
    @OwnedTimer private var next: LoopTimer?
    @OwnedTimer private var patience: LoopTimer?

    /// - Returns: nil where the program was built without what this needs.
    init?(
        _ server: BackboneServer, bringing log: EventLog, _ shelf: Shelf?, of event: UUID,
        hasCode: Bool, inMesh isMeshed: Bool, _ timing: Timing,
        in surroundings: any Surroundings
    ) throws(StartError) {
        let crypto = try needed(LogSHA256(), orElse: StartError.cannotSecure)
        guard
            let backbone = try needed(
                surroundings.backbone(at: server), orElse: StartError.cannotBegin)
        else { return nil }
        (self.log, self.shelf, self.crypto, self.backbone) = (log, shelf, crypto, backbone)
        loop = surroundings.network.loop
        publisher = BackbonePublisher(of: event, hasCode: hasCode, timing, proving: crypto)
        if isMeshed, let shelf {
            member = BackboneMember(of: event, on: shelf, proving: crypto)
        }
    }

    /// How often is looked at what has changed without being told of.
    private static let interval = Duration.milliseconds(250)

    func begin() {
        backbone.begin { [unowned self] in take($0) }
        tick()
    }

    private func tick() {
        next = loop.schedule(after: Self.interval) { [unowned self] in tick() }
        if let member { backbone.ask(member.tick(now: loop.now)) }
        look()
    }

    /// Something was said here, or others have brought something.
    func look() {
        // What comes of it may be why this is called.
        guard !isEnded, !isLooking else { return }
        isLooking = true
        perform(publisher.look(log, shelf, now: loop.now))
        isLooking = false
        endIfComplete()
    }

    private func take(_ event: BackboneEvent) {
        guard !isEnded else { return }
        let now = loop.now
        perform(publisher.take(event, now: now))
        if let member {
            backbone.ask(member.take(event, now: now))
            if case .message = event { heard() }
        }
        endIfComplete()
    }

    private func perform(_ actions: [BackbonePublisher.Action]) {
        var requests: [BackboneRequest] = []
        for action in actions {
            switch action {
            case .ask(let request): requests.append(request)
            case .report(let news): tell(news)
            }
        }
        backbone.ask(requests)
    }

    /// The host's event goes on under another id.
    func move(to event: UUID) {
        publisher.move(to: event)
        guard let old = member, let shelf else { return }
        backbone.ask(old.end(now: loop.now))
        let new = BackboneMember(of: event, on: shelf, proving: crypto)
        member = new
        if publisher.isReachable { backbone.ask(new.take(.connected, now: loop.now)) }
    }

    // MARK: The end

    /// Whether nothing is on its way there any more.
    var isGone: Bool { isEnded }

    /// What was said goes there, as far as the server takes it soon.
    ///
    /// - Parameter done: called once that is over, never from within this call.
    func leave(_ done: @escaping () -> Void) {
        guard !isEnded, leaving == nil else { return }
        leaving = done
        patience = loop.schedule(after: Limits.partingPatience) { [unowned self] in end() }
        look()
    }

    private func endIfComplete() {
        // Everybody is told the end after this was.
        guard leaving != nil, log.isOver, publisher.isComplete || !publisher.isReachable else {
            return
        }
        // It may be the server's word that tells of this.
        patience = loop.schedule(after: .zero) { [unowned self] in end() }
    }

    func end() {
        guard !isEnded else { return }
        isEnded = true
        (next, patience) = (nil, nil)
        backbone.close()
        leaving.take()?()
    }
}
