import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import BeamscribeVoice
import Synchronization
import Testing

@testable import Beamscribe

/// What a guest has to do for its voices, before it says or hears any.
@Suite(.enabled(if: VoiceLibraries.areHere)) struct GuestVoicesTests {
    private final class Said: Sendable {
        let messages = Mutex<[VoiceMessage]>([])
    }

    /// A host that asks for no code has not proved that it knows the crew's, whatever it lets everybody do.
    @Test(arguments: [nil, [UInt8](repeating: 7, count: 16)])
    func whoeverHasTheCrewsCode_talksToNobody_whoHasNotProvedIt(salt: [UInt8]?) async throws {
        var configuration = IntercomConfiguration(TalkConfiguration())
        configuration.crewCode = try EventCode("BCDF-GHJK-MNPQ")
        let intercom = try Intercom(configuration)
        let said = Said()
        intercom.begin { message in said.messages.withLock { $0.append(message) } }
        let voices = GuestVoices(intercom, in: try StillSurroundings())
        let offer = VoiceOffer(
            port: 9, channels: [.init(name: "crew", talk: true, hear: true)], ptime: [10],
            salt: salt)
        voices.connected(to: offer, at: IPAddress("127.0.0.1"))
        intercom.end()
        var events: [IntercomEvent] = []
        for await batch in intercom.events { events += batch }
        #expect(events.filter { $0 != .notInTime } == (salt == nil ? [.noCode] : []))
        #expect(said.messages.withLock { $0 } == [])
    }
}
