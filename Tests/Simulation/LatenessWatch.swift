import BeamscribeCore

/// Whether words come at once while nothing holds them up: to each guest whose connection works, from
/// the host or from somebody who holds the event for it.
///
/// A connection on which something is under way is at work, and so is one on which the guest gets on.
/// Where neither is so for a while, what was said before it has to be there.
///
/// Invariant: what is waited for was said when the wait began.
final class LatenessWatch {
    /// How long nothing may happen on a way that is free, besides the time that the way takes.
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
        /// What was sent by then, where that could be all that there was room for.
        let sentBytes: Int
        /// Where the guest was then.
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

    /// What goes over a narrow way piece by piece leaves it free in between.
    private func sentBytes(over connection: Connection) -> Int {
        connection.down.capacity < Limits.lineBytes * 2 ? connection.down.sentBytes : 0
    }

    private func isMissed(
        by guest: SimulatedGuest
    ) -> ((line: String, text: String)) -> Bool {
        { [stage] line in
            stage.speech.isOpen(line) && !guest.view.open.contains { $0 == line }
        }
    }

    /// The newest line that whoever serves the guest could give it.
    private func newest(for guest: SimulatedGuest, _ connection: Connection) -> Int {
        if stage.leadsToHost(connection) { return stage.run?.log.lastSeq ?? 0 }
        // That lines are gone is told on once something signed shows it.
        return connection.server.flatMap(stage.guest(of:))?.view.lines.last?.seq ?? 0
    }

    /// The connection by which a guest gets what is said, where nothing is under way and both ends work.
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
