public import BeamscribeCore
public import BeamscribeIO
import FoundationEssentials

/// An event in which everybody captions: this machine writes a log of its own, and reads those of all.
///
/// ```swift
/// let configuration = HostConfiguration(
///     eventName: "Round Table", deviceName: "Ann's laptop", security: HostSecurity(try HostKey()))
/// let mesh = try Mesh(configuration, as: "Ann")
/// try await mesh.start()
/// await mesh.say("Good evening.")
/// for await said in mesh.lines { print(said.log.label, said.line.text) }
/// ```
public actor Mesh {
    /// Why a node cannot begin.
    public enum Trouble: Error, Equatable {
        /// Nobody answers at the addresses that were given.
        case noAnswer
        /// The server that is to keep the event cannot be reached, and why: nobody knows whether it is there.
        case noServer(String)
        /// Nothing can be signed with the host's key.
        case cannotSign
        /// What a host cannot begin with either.
        case start(StartError)

        public static func == (first: Self, second: Self) -> Bool {
            "\(first)" == "\(second)"
        }
    }

    private let surroundings: any Surroundings
    private var configuration: HostConfiguration
    private let label: String
    private let addresses: [Endpoint]
    private let code: EventCode?
    private var search: MeshSearch?
    /// What everybody says in the event, also here, as it comes; of another's log each line once and in order.
    public nonisolated let lines: AsyncStream<Said>
    /// The other nodes, whenever one of them is in another state.
    public nonisolated let peers: AsyncStream<[MeshPeer]>
    private let saying: AsyncStream<Said>.Continuation
    private let telling: AsyncStream<[MeshPeer]>.Continuation
    /// Nil before ``start(lookingFor:)``.
    private var node: Host?

    /// A line of somebody's log.
    public struct Said: Sendable, Equatable {
        /// Whose it is.
        public var log: LogTitle
        /// The line.
        public var line: TranscriptLine
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        surroundings.asUnownedSerialExecutor()
    }

    /// - Parameters:
    ///   - configuration: as of a host: the event's name, where one's own captions come from, what is kept. Its
    ///     session is made up here.
    ///   - label: what this node's log is called among those of the event.
    ///   - addresses: where others may be; where there are any, nobody else's event is looked for.
    ///   - code: the event's, where it has one; the host's security asks others for it.
    public init(
        _ configuration: HostConfiguration, as label: String, at addresses: [Endpoint] = [],
        code: EventCode? = nil, on thread: LoopThread? = nil
    ) throws(StartError) {
        surroundings = try .system(on: thread)
        (self.configuration, self.label) = (configuration, label)
        (self.addresses, self.code) = (addresses, code)
        (lines, saying) = AsyncStream.makeStream()
        (peers, telling) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    isolated deinit {}

    // MARK: Taking part

    /// Looks for the event, founds it where it is not there, and takes part until ``leave()``.
    ///
    /// - Parameter time: how long to look.
    /// - Throws: ``Trouble``; also where no port can be had.
    public func start(lookingFor time: Duration = .seconds(1)) async throws(Trouble) {
        guard node == nil else { return }
        configuration.input = .typed
        let node = try await find(for: time).host
        do throws(StartError) {
            try await node.start()
        } catch {
            throw .start(error)
        }
        self.node = node
        let (saying, telling) = (saying, telling)
        Task {
            for await batch in node.captionsOfAll {
                for case .inLog(let log, .line(let line)) in batch {
                    saying.yield(Said(log: log, line: line))
                }
            }
            saying.finish()
        }
        Task {
            for await batch in node.news {
                for case .mesh(.peer(_, of: let all)) in batch { telling.yield(all) }
            }
            telling.finish()
        }
    }

    /// Where this node listens, for others who do not find it; empty before ``start(lookingFor:)``.
    public var places: [Endpoint] { get async { await node?.places ?? [] } }

    /// Says a line to everybody.
    ///
    /// - Parameter speaker: who speaks, beside what the log is called; nil for nobody in particular.
    @discardableResult
    public func say(_ text: String, speaker: String? = nil) async -> TypedOutcome {
        await node?.type(text, speaker: speaker) ?? .refused
    }

    /// Says a line to these alone.
    ///
    /// - Returns: ``TypedOutcome/nobody(_:)`` where there is no link to one of them: nobody has it then.
    @discardableResult
    public func say(_ text: String, to peers: [MeshPeer]) async -> TypedOutcome {
        await node?.type(text, to: peers.map(\.node)) ?? .refused
    }

    /// Says a line to all who are here but these.
    @discardableResult
    public func say(_ text: String, excluding peers: [MeshPeer]) async -> TypedOutcome {
        await node?.type(text, to: peers.map(\.node), isExcept: true) ?? .refused
    }

    /// Leaves the event, which goes on for the others. ``lines`` and ``peers`` end once that is done.
    public func leave() async {
        await node?.stop()
    }

    // MARK: Finding the event

    /// Looks for the event, and founds it where it is not there.
    ///
    /// - Parameter time: how long to look.
    /// - Returns: who takes part, and whether he has founded the event: he is to be started.
    public func find(for time: Duration) async throws(Trouble) -> (host: Host, isFounder: Bool) {
        var event = try await look(for: time)
        if event == nil, let server = configuration.backbone {
            event = try await look(at: server)
        }
        guard event != nil || addresses.isEmpty else { throw .noAnswer }
        do throws(StartError) {
            let isSigned = try configuration.takePart(
                in: event, as: label, at: surroundings.network.loop.wall)
            configuration.mesh?.addresses = addresses
            configuration.mesh?.code = code
            if isSigned { return (try Host(configuration, in: surroundings), event == nil) }
        } catch {
            throw .start(error)
        }
        throw .cannotSign
    }

    /// Whether the event is on among those who are reached by a server alone.
    private func look(at server: BackboneServer) async throws(Trouble) -> UUID? {
        let search: BackboneSearch?
        do throws(StartError) {
            search = try BackboneSearch(server, in: surroundings)
        } catch {
            throw .start(error)
        }
        guard let search else { return nil }
        var outcome: Result<UUID?, Trouble> = .success(nil)
        for await news in await search.news(of: configuration.eventName, isOpenOnly: true) {
            switch news {
            case .events(let events): outcome = .success(events.first?.id)
            case .trouble(let why): outcome = .failure(.noServer(why))
            }
            break
        }
        await search.stop()
        return try outcome.get()
    }

    private func look(for time: Duration) async throws(Trouble) -> UUID? {
        let outcome = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<UUID?, StartError>, Never>) in
            do throws(StartError) {
                let search = try needed(
                    MeshSearch(
                        configuration, at: addresses, code: code, for: time, in: surroundings
                    ) { continuation.resume(returning: .success($0)) },
                    orElse: StartError.cannotSecure)
                self.search = search
                search.start()
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        search = nil
        do throws(StartError) {
            return try outcome.get()
        } catch {
            throw .start(error)
        }
    }
}
