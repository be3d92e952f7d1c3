import BeamscribeCore
import Logging

/// Tells the operator what becomes of the event at the NATS server.
struct BackboneReporter: Reporter {
    let logger: Logger
    /// The server, for people.
    private let server: String
    /// Why it is away; nil while it is there.
    private var absence: String?

    init(_ server: String, logger: Logger) { (self.server, self.logger) = (server, logger) }

    mutating func report(_ news: BackboneNews) {
        switch news {
        case .reachable:
            absence = nil
            say(
                "The NATS server at \(server) keeps the event, too. Far away: beamscribe relay --nats "
                    + "URL EVENT", "nats_connected")
        case .unreachable(let why):
            // Each try to reach it fails anew.
            guard absence != why else { return }
            absence = why
            warn(
                "The NATS server at \(server) cannot be reached (\(why)). Captions go on here; once it is "
                    + "back it gets what it lacks.", "nats_lost")
        case .trouble(let log, let why):
            warn(
                "The NATS server at \(server) does not take \(Self.name(log)): \(why). It is tried "
                    + "again.", "nats_trouble")
        case .recovered(let log):
            say("The NATS server takes \(Self.name(log)) again.", "nats_recovered")
        case .foreign(let log):
            warn(
                "Somebody else writes \(Self.name(log)) at the NATS server with the key of this host: "
                    + "nothing more of it goes there from here. Captions go on here. Is a copy of this "
                    + "session hosted on another machine? Stop one of the two, and go on in the other "
                    + "with --resume.", "nats_foreign")
        case .fouled(let log):
            warn(
                "Somebody who may use the NATS server has written into the stream of "
                    + "\(Self.name(log)), or has deleted from it. Captions continue there, and readers "
                    + "skip what this host has not signed. Check the server's users: docs/FAR.md has "
                    + "permissions that prevent it.", "nats_fouled")
        case .linesGone(let log, let lines):
            warn(
                "Lines \(lines.lowerBound) to \(lines.upperBound) of \(Self.name(log)) are not in memory "
                    + "any more, and the NATS server lacks them: nothing more of it goes there.",
                "nats_lines_gone")
        }
    }

    private static func name(_ log: String?) -> String { log.map { "\"\($0)\"" } ?? "the event" }
}
