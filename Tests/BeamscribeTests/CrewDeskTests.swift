import BeamscribeCore
import BeamscribeTLS
import Testing

@testable import Beamscribe

/// Where guests prove that they are of the crew.
@Suite struct CrewDeskTests {
    /// Where there are too many it may be the newcomer himself who has to go; he may try again.
    @Test func newcomerWhoHadToGo_mayTryAgain() throws {
        let desk = CrewDesk(
            try CodeSecret.sample.record(), guests: 1, timeout: .seconds(10),
            in: try StillSurroundings())
        var refused: Set<ConnectionID> = []
        desk.say = { message, id in
            if case .refused = message { refused.insert(id) }
        }
        func guess(_ id: ConnectionID) {
            refused.remove(id)
            desk.take(VoiceCode(share: [1]), from: id, "source \(id)", [2])
        }
        guess(1)
        var last = 1
        // Chance decides who goes: it is a newcomer before long.
        let newcomer = (2...100).first { id in
            guess(id)
            if !refused.contains(id) { last = id }
            return refused.contains(id)
        }
        let unlucky = try #require(newcomer)
        desk.left(last)
        guess(unlucky)
        #expect(!refused.contains(unlucky))
    }
}
