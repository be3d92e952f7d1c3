import BeamscribeCore
import BeamscribeTLS
import FoundationEssentials
import Testing

@testable import Beamscribe
@testable import BeamscribeIO

/// More who are let in without encryption, and say nothing more, than there is room for.
@Suite struct HostCrowdTests {
    private let machine = HandMachine()

    @Test func whoTakesNoPart_givesWay_whereThereAreTooMany_andEverybodyIsToldTheEnd() throws {
        let log = EventLog(session: UUID(), now: machine.loop.now)
        let room = Room(
            .init(eventName: "X", deviceName: "Y", deviceID: UUID(), maximumGuests: 1),
            serving: log, seed: 1)
        let server = try HostServer(
            room, HostSecurity(try HostKey(), allowsPlain: true), in: machine)
        var refused = 0
        server.report = { events in
            refused += events.count { if case .connectionRefused = $0 { true } else { false } }
        }
        var published = 0
        server.published = { published += 1 }
        let door = HandListener()
        try server.open(door)
        let most = 1 + Limits.pendingConnections
        for number in 0..<most + 3 {
            let peer = try #require(IPAddress("192.0.2.\(1 + number % 200)"))
            // Half a frame.
            door.come(saying: [0, 0, 0, 9], from: Endpoint(peer, port: 1))
            machine.pass(.zero)
        }
        #expect(room.connectionCount == most && refused == 3 && server.brokenInvariant == nil)
        server.sendPublished()
        #expect(published == 1)
        server.finish(.ended, "over")
        #expect(published == 2)
    }
}
