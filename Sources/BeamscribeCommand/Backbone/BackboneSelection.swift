import Beamscribe
import BeamscribeCore
import BeamscribeIO
import Logging

/// Finds the event that the user means at a NATS server.
struct BackboneSelection {
    let server: BackboneServer
    let name: String
    /// Nil to look for ever.
    let timeout: Duration?
    let logger: Logger

    private enum Step {
        case news(BackboneSearch.News)
        /// An event was found a while ago that could not be read then.
        case waited
        case timedOut
        case stopped
    }

    /// - Returns: nil where the user has had enough.
    /// - Throws: ``Failure`` where there is no such event in time.
    func run(on thread: LoopThread, signals: Signals) async throws -> BackboneCatalogue.Event? {
        guard let search = try BackboneSearch(server, on: thread) else { return nil }
        let (steps, continuation) = AsyncStream<Step>.makeStream()
        let news = await search.news(of: name)
        let timeout = timeout
        let tasks: [Task<Void, any Error>] = [
            Task { for await each in news { continuation.yield(.news(each)) } },
            Task {
                for await _ in signals.ending.listen() { continuation.yield(.stopped) }
            },
            Task {
                guard let timeout else { return }
                try await Task.sleep(for: timeout)
                continuation.yield(.timedOut)
            },
        ]
        defer { tasks.forEach { $0.cancel() } }
        let remind: @Sendable () -> Void = {
            Task {
                try await Task.sleep(for: Self.patience)
                continuation.yield(.waited)
            }
        }
        let outcome = await Result { try await choose(from: steps, remindedBy: remind) }
        await search.stop()
        return try outcome.get()
    }

    /// The time that the host of a new event has to sign how it stands.
    private static let patience = Duration.seconds(2)

    private func choose(
        from steps: AsyncStream<Step>, remindedBy remind: () -> Void
    ) async throws -> BackboneCatalogue.Event? {
        var trouble: String?
        var (isWaiting, isTold) = (false, false)
        for await step in steps {
            switch step {
            case .news(.events(let known)):
                trouble = nil
                let events = known.filter(\.isStanding)
                isWaiting = events.isEmpty && !known.isEmpty
                guard let event = events.first else {
                    if isWaiting {
                        remind()
                    } else {
                        log(
                            "No event \"\(SafeText.line(name))\" is at \(server.name) yet; waiting for it."
                        )
                    }
                    continue
                }
                if events.contains(where: { $0.name != event.name }) {
                    let names = Set(events.map(\.name)).sorted().map { "'\($0)'" }
                    throw Failure(
                        .noHost,
                        "several events are meant: \(names.joined(separator: ", ")). Give all of the "
                            + "name.")
                }
                return event
            case .news(.trouble(let why)):
                trouble = why
                log("The NATS server at \(server.name): \(why); trying again.", .warning)
            case .waited:
                guard isWaiting, !isTold else { continue }
                isTold = true
                log(
                    "The event \"\(SafeText.line(name))\" is at \(server.name), but what its host "
                        + "has signed there is missing; waiting for that. Is the host running?")
            case .timedOut:
                let reason = trouble.map { ": \($0)" } ?? ""
                throw Failure(
                    .noHost,
                    "no event '\(SafeText.line(name))' was found in time at the NATS server at "
                        + "\(server.name)\(reason).")
            case .stopped: return nil
            }
        }
        return nil
    }

    private func log(_ sentence: String, _ level: Logger.Level = .notice) {
        logger.log(level: level, "\(sentence)", metadata: ["event": "nats_search"])
    }
}
