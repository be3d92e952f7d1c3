import BeamscribeCore

/// Judges whether each guest whose connection works gets words at once, from the host or a holder.
///
/// A connection with bytes under way is busy, and so is one whose guest makes progress. After a
/// while without either, the guest has to have all that was said before.
///
/// Invariant: the awaited words were said before the wait began.
final class LatenessWatch {
    /// The longest time without progress on a free connection, besides its round trips.
    private static let patience = Int.seconds(1)
    private static let interval = Int.milliseconds(100)

    private struct Wait {
        let connection: Connection
        let session: String
        /// The newest line when the wait began.
        let seq: Int
        /// The open lines at that time that the guest did not show.
        let open: [(line: String, text: String)]
        let since: Int
        /// The bytes sent by then over a narrow connection; 0 for a wide one.
        let sentBytes: Int
        /// The guest's newest line then.
        let position: Int
    }

    private let stage: Stage
    private var waits: [String: Wait] = [:]
    private var world: World { stage.world }

    init(_ stage: Stage) { self.stage = stage }

    /// Looks now and again, until the world ends.
    func lookLater() {
        world.schedule(after: Self.interval) { [self] in
            for guest in stage.guests { look(at: guest) }
            lookLater()
        }
    }

    private func look(at guest: SimulatedGuest) {
        guard let connection = freeWay(of: guest), let truth = stage.truth,
            guest.view.session == truth.session, guest.view.run == truth.number
        else { return waits[guest.name] = nil }
        if let wait = waits[guest.name], wait.connection === connection,
            wait.session == truth.session, wait.position == guest.view.last ?? 0,
            wait.sentBytes == sentBytes(over: connection)
        {
            let patience = Self.patience + 4 * (connection.down.latency + connection.down.jitter)
            guard world.now - wait.since > patience else { return }
            if !guest.view.reaches(wait.seq) {
                world.fail(
                    "\(guest.name): it lacks line \(wait.seq), and nothing holds that up")
            } else if let line = wait.open.first(where: isMissed(by: guest)) {
                world.fail(
                    "\(guest.name): it does not show \(line.line), and nothing holds that up")
            }
        }
        waits[guest.name] = Wait(
            connection: connection, session: truth.session, seq: newest(for: guest, connection),
            open: stage.leadsToHost(connection) ? stage.speech.open(besides: guest.view.open) : [],
            since: world.now, sentBytes: sentBytes(over: connection), position: guest.view.last ?? 0
        )
    }

    /// A narrow connection takes lines piece by piece, and is free in between.
    private func sentBytes(over connection: Connection) -> Int {
        connection.down.capacity < Limits.lineBytes * 2 ? connection.down.sentBytes : 0
    }

    private func isMissed(
        by guest: SimulatedGuest
    ) -> ((line: String, text: String)) -> Bool {
        { [stage] line in
            // The oldest lines beyond these are taken back.
            guest.view.open.count < Limits.openLines && stage.speech.isOpen(line)
                && !guest.view.open.contains { $0 == line }
        }
    }

    /// The newest line that whoever serves the guest could give it.
    private func newest(for guest: SimulatedGuest, _ connection: Connection) -> Int {
        if stage.leadsToHost(connection) { return stage.run?.log.lastSeq ?? 0 }
        // A holder tells of a gap only once something signed shows it.
        return connection.server.flatMap(stage.guest(of:))?.view.lines.last?.seq ?? 0
    }

    /// The guest's connection, if nothing is under way on it and both ends work.
    private func freeWay(of guest: SimulatedGuest) -> Connection? {
        guard guest.isRunning, guest.isIn, !guest.isPaused, !guest.machine.isAsleep,
            let connection = guest.connection, connection.isWhole, !connection.isForged,
            !connection.isLiedOn, connection.down.isFree,
            isAtWork(connection)
        else { return nil }
        return connection
    }

    private func isAtWork(_ connection: Connection) -> Bool {
        if stage.leadsToHost(connection) {
            return stage.run.map { !$0.isFinishing && !$0.log.isFailing(.disk) } ?? false
                && !stage.machine.isAsleep
        }
        return connection.server.flatMap(stage.guest(of:)).map {
            $0.isRunning && !$0.machine.isAsleep && !$0.isPaused
        } ?? false
    }
}
