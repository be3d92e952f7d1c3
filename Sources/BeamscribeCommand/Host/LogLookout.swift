import BeamscribeCore
import Synchronization

/// Looks for one of an event's logs by what it is called.
///
/// Invariant: `known` are logs of the event that was joined, each once.
final class LogLookout: Sendable {
    private let label: String
    private let known = Mutex<[LogTitle]>([])
    private let arrivals: AsyncStream<LogTitle>
    private let arrived: AsyncStream<LogTitle>.Continuation

    /// - Parameter label: the log's name, in which case does not count, or its id; `floor` for the event's
    ///   main log.
    init(for label: String) {
        self.label = label
        (arrivals, arrived) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Limits.logs))
    }

    /// There is this log in the event.
    func note(_ log: LogTitle) {
        known.withLock { known in
            if !known.contains(where: { $0.session == log.session }) { known.append(log) }
        }
        arrived.yield(log)
    }

    /// A log that was found.
    struct Found {
        /// Its id, a lower-case UUID.
        let session: String
        let label: String
    }

    /// Waits for the log: an event tells of its logs when it is joined. To be called once.
    ///
    /// - Throws: ``Failure`` where there is none of that name.
    func find(in event: JoinedEvent) async throws -> Found {
        let main = Found(session: event.session, label: LogRecord.mainLabel)
        if isMeant(main) { return main }
        let patience = Task { [arrived] in
            try await Task.sleep(for: Limits.logPatience)
            arrived.finish()
        }
        defer { patience.cancel() }
        for await log in arrivals {
            let found = Found(session: log.session, label: log.label)
            if isMeant(found) { return found }
        }
        let names = [LogRecord.mainLabel] + known.withLock { $0.map(\.label) }
        throw Failure(
            .noHost,
            "\"\(event.eventName)\" has no log \"\(SafeText.line(label))\" that could be translated; it has "
                + "\(WordList.of(names, limit: 8)).")
    }

    private func isMeant(_ log: Found) -> Bool {
        let wanted = label.lowercased()
        return log.label.lowercased() == wanted || log.session == wanted
    }
}
