public import BeamscribeCore
public import BeamscribeIO
import FoundationEssentials

/// An event in which everybody captions: this machine writes a log of its own, and reads those of all.
///
/// ```swift
/// configuration.input = .typed
/// let mesh = try Mesh(configuration, as: "Ann's laptop")
/// let node = try await mesh.find(for: .seconds(1)).host
/// try await node.start()
/// await node.type("Good evening.")
/// for await batch in node.captionsOfAll { ... }
/// ```
///
/// Of others ``Host/news`` tells, by ``HostNews/mesh(_:)``, and ``Host/peers`` how they are.
public actor Mesh {
    /// Why a node cannot begin.
    public enum Trouble: Error, Equatable {
        /// Nobody answers at the addresses that were given.
        case noAnswer
        /// Nothing can be signed with the host's key.
        case cannotSign
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
    }

    isolated deinit {}

    /// Looks for the event, and founds it where it is not there.
    ///
    /// - Parameter time: how long to look.
    /// - Returns: who takes part, and whether he has founded the event: he is to be started.
    public func find(for time: Duration) async throws(Trouble) -> (host: Host, isFounder: Bool) {
        let event = try await look(for: time)
        guard event != nil || addresses.isEmpty else { throw .noAnswer }
        do throws(StartError) {
            let begun = try MeshMembership.begin(
                event, as: label, by: configuration.security, on: configuration.deviceID,
                at: surroundings.network.loop.wall)
            if let begun {
                var membership = begun.membership
                (membership.addresses, membership.code) = (addresses, code)
                (configuration.session, configuration.mesh) = (begun.session, membership)
                return (try Host(configuration, in: surroundings), event == nil)
            }
        } catch {
            throw .start(error)
        }
        throw .cannotSign
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
