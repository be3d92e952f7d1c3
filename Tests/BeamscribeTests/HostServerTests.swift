import BeamscribeCore
import BeamscribeTLS
import Foundation
import Testing

@testable import Beamscribe
@testable import BeamscribeIO

@Suite struct HostServerTests {
    /// A door before which somebody new stands whenever it is looked at; he goes at once.
    private final class BusyDoor: ConnectionListener {
        private let loop: EventLoop
        private(set) var accepted = 0
        /// Where nobody sets a limit, the test is to fail and not to hang.
        private let most = 3 * Limits.connectionsAtDoor

        init(on loop: EventLoop) {
            self.loop = loop
        }

        func accept() throws(SystemError) -> AcceptedConnection? {
            guard accepted < most else { return nil }
            accepted += 1
            var ends: [Int32] = [0, 0]
            socketpair(AF_UNIX, Int32(clamping: SOCK_STREAM.rawValue), 0, &ends)
            close(ends[1])
            return AcceptedConnection(Socket(Descriptor(owning: ends[0]), on: loop), from: nil)
        }

        func watch(_ ready: @escaping () -> Void) {}
        var isResting = false
    }

    @Test func server_stopsListening_whileSomebodyComesAgainAndAgain() throws {
        let log = EventLog(session: UUID(), now: Clock.now)
        let room = Room(
            .init(eventName: "X", deviceName: "Y", deviceID: UUID(), maximumGuests: 4),
            serving: log, seed: 1)
        let surroundings = try StillSurroundings()
        let server = try HostServer(room, HostSecurity(try HostKey()), in: surroundings)
        let door = BusyDoor(on: surroundings.loop)
        try server.open(door)
        server.stopListening()
        #expect(door.accepted == Limits.connectionsAtDoor)
        #expect(!server.hasConnections)
    }
}
