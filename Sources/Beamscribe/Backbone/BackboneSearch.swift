public import BeamscribeCore
public import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials

/// Looks for an event at a server that keeps events.
///
/// ```swift
/// let search = try BackboneSearch(server)
/// for await news in await search.news(of: "Town Hall") { ... }
/// ```
public actor BackboneSearch {
    /// What is learnt.
    public enum News: Sendable, Equatable {
        /// The server cannot be reached for now, or does not give what is asked for, and why.
        case trouble(String)
        /// What there is of the name; told anew where that changes.
        case events([BackboneCatalogue.Event])
    }

    private let surroundings: any Surroundings
    private let backbone: any Backbone
    private let crypto: LogSHA256
    private var catalogue: BackboneCatalogue
    private var isOpenOnly = false
    private var told: [BackboneCatalogue.Event]?
    private var trouble: String?
    private var reading = 0
    private var isCaughtUp = false
    private var hasLookedAgain = false
    private var continuation: AsyncStream<News>.Continuation?
    @OwnedTimer private var retry: LoopTimer?

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        surroundings.asUnownedSerialExecutor()
    }

    /// Begins to look for the server.
    ///
    /// - Returns: nil where the program was built without what this needs.
    public init?(_ server: BackboneServer, on thread: LoopThread? = nil) throws(StartError) {
        try self.init(server, in: try SystemSurroundings.system(on: thread))
    }

    init?(_ server: BackboneServer, in surroundings: any Surroundings) throws(StartError) {
        self.surroundings = surroundings
        let crypto = try needed(LogSHA256(), orElse: StartError.cannotSecure)
        self.crypto = crypto
        catalogue = BackboneCatalogue(of: "", proving: crypto)
        guard
            let backbone = try needed(
                surroundings.backbone(at: server), orElse: StartError.cannotBegin)
        else { return nil }
        self.backbone = backbone
    }

    /// What belongs to the loop goes on its thread.
    isolated deinit {}

    /// What is learnt of events of this name, until nobody listens any more.
    ///
    /// - Parameter isOpenOnly: whether only those are wanted in which everybody may write, and that are on.
    public func news(of name: String, isOpenOnly: Bool = false) -> AsyncStream<News> {
        self.isOpenOnly = isOpenOnly
        catalogue = BackboneCatalogue(of: name, proving: crypto)
        let (stream, continuation) = AsyncStream<News>.makeStream()
        self.continuation = continuation
        backbone.begin { [unowned self] in take($0) }
        return stream
    }

    /// Looks no more.
    public func stop() {
        backbone.close()
        retry = nil
        continuation?.finish()
    }

    private func take(_ event: BackboneEvent) {
        switch event {
        case .connected: follow()
        case .disconnected(let why): tell(why)
        case .message(reading, let subject, _, let payload):
            catalogue.take(subject, payload)
            guard isCaughtUp else { break }
            if !catalogue.needsAnotherLook { tellEvents() } else if retry == nil { lookAgain() }
        case .caughtUp(reading): caughtUp()
        case .broken(reading, let why):
            // Where there was no event yet there is no stream of them.
            if let why { tell(why) } else { caughtUp() }
            retry = surroundings.network.loop.schedule(after: .seconds(1)) { [unowned self] in
                follow()
            }
        default: break
        }
    }

    /// Something was skipped of an event that is wanted. Whoever makes up events does not make this
    /// a flood.
    private func lookAgain() {
        guard hasLookedAgain else {
            hasLookedAgain = true
            return follow()
        }
        retry = surroundings.network.loop.schedule(after: .seconds(1)) { [unowned self] in
            follow()
        }
    }

    private func follow() {
        retry = nil
        let left = BackboneRequest.leave(reading: reading)
        reading += 1
        isCaughtUp = false
        catalogue.lookAgain()
        backbone.ask([left, .follow(BackboneCatalogue.subjects, reading: reading)])
    }

    private func caughtUp() {
        guard !catalogue.needsAnotherLook else { return lookAgain() }
        (isCaughtUp, trouble) = (true, nil)
        tellEvents()
    }

    private func tell(_ why: String) {
        guard trouble != why else { return }
        trouble = why
        continuation?.yield(.trouble(why))
    }

    /// Whether nothing has changed that those who look want to know.
    private func isSame(_ event: BackboneCatalogue.Event, _ old: BackboneCatalogue.Event) -> Bool {
        event.id == old.id && (isOpenOnly || event.isStanding == old.isStanding)
    }

    private func tellEvents() {
        let events =
            isOpenOnly
            ? catalogue.openEvents(at: surroundings.network.loop.wall) : catalogue.wanted
        let isTold =
            told?.count == events.count
            && zip(events, told ?? []).allSatisfy { isSame($0, $1) }
        guard !isTold else { return }
        told = events
        continuation?.yield(.events(events))
    }
}
